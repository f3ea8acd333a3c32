#ifndef CNETKIT_LOADING_H
#define CNETKIT_LOADING_H

/// Whether the reason for which a library was not opened is a lack of descriptors or memory; `errno` does not tell.
int nk_lacks_resources(const char *reason);

#endif
