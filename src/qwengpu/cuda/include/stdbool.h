// Nothing is left to declare: bool is a type of C++.
#pragma once
