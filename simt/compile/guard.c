/* Space in thread-local memory around the program's __shared__ variables, so that an index a little
 * out of bounds, which is reported, does no harm to the backend's own variables. simtcc links it in
 * front of and behind the program's objects; the linker lays out thread-local variables in that
 * order. And a mark in the code, likewise in front of and behind the program's own. */
void TEXT(void);
void TEXT(void)
{
}

__thread char GUARD[64 * 1024] __attribute__((aligned(128)));

/* In front of the device's variables (sections.ld). */
static __attribute__((section("simt_pad"), used)) char pad = 1;
