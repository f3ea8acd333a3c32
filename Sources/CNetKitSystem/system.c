#include "CNetKitSystem.h"

// All of it stands in the header; a target needs a source.
