#include "CNetKitLoading.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/// Whether the reason for which a library was not opened is a lack of descriptors or memory; `errno` does not tell.
static int lacks_resources(const char *reason) {
    const int errors[] = {EMFILE, ENFILE, ENOMEM};
    for (size_t index = 0; index < sizeof(errors) / sizeof(errors[0]); index++) {
        if (strstr(reason, strerror(errors[index]))) return 1;
    }
    return 0;
}

nk_load_result nk_library_open(const char *name, void **library, char *reason, size_t reason_size) {
    *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (*library) return nk_load_ok;
    const char *error = dlerror();
    snprintf(reason, reason_size, "%s", error ? error : "it could not be opened");
    return error && lacks_resources(error) ? nk_load_no_resources : nk_load_failed;
}
