// Nothing is left to declare: the runtime is the language itself without it.
#pragma once
