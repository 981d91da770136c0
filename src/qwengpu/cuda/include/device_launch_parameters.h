// Nothing is left to declare: threadIdx and its kin are declared without it.
#pragma once
