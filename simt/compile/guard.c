/* Space in thread-local memory around the program's __shared__ variables, so that an index a little
 * out of bounds, which is reported, does no harm to the backend's own variables. simtcc links it in
 * front of and behind the program's objects; the linker lays out thread-local variables in that
 * order. And a mark in the code, likewise in front of and behind the program's own. */
#define GUARD_2(name, where) name##_##where
#define GUARD_1(name, where) GUARD_2(name, where)
#define GUARD(name)          GUARD_1(name, WHERE)

void GUARD(simt_text)(void);
void GUARD(simt_text)(void)
{
}

__thread char GUARD(simt_guard)[64 * 1024] __attribute__((aligned(128)));
