// Nothing is left to declare: printf is declared without it.
#pragma once
