// Nothing is left to declare: abs and labs are declared without it.
#pragma once
#include "stddef.h"
