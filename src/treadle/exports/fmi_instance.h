/* An instance of the machine, for either version of the standard. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED
#endif

enum { STATUS_OK = 0, STATUS_WARNING = 1, STATUS_DISCARD = 2, STATUS_ERROR = 3, STATUS_FATAL = 4 };

#define SLOTS (sizeof(machine_state) / sizeof(double))

typedef struct {
    machine_state state;
    double time;
} snapshot;

typedef struct {
    snapshot now;
} instance;

static instance *new_instance(const char *token)
{
    instance *made;
    if (token == NULL || strcmp(token, MACHINE_TOKEN) != 0) return NULL;
    made = calloc(1, sizeof *made);
    if (made != NULL) machine_initialize(&made->now.state);
    return made;
}

static int reset_instance(instance *it)
{
    it->now.time = 0.0;
    machine_initialize(&it->now.state);
    return STATUS_OK;
}

static int get_numbers(const instance *it, const uint32_t references[], size_t count, double values[])
{
    const double *slots = (const double *)&it->now.state;
    for (size_t k = 0; k < count; k++) {
        if (references[k] == MACHINE_TIME) values[k] = it->now.time;
        else if (references[k] < SLOTS) values[k] = slots[references[k]];
        else return STATUS_ERROR;
    }
    return STATUS_OK;
}

static int set_numbers(instance *it, const uint32_t references[], size_t count, const double values[])
{
    double *slots = (double *)&it->now.state;
    for (size_t k = 0; k < count; k++) {
        if (references[k] >= SLOTS || !isfinite(values[k])) return STATUS_ERROR;
        slots[references[k]] = values[k];
    }
    return STATUS_OK;
}

/* Whole steps of dt, and a shorter one for what is left over. */
static int advance(instance *it, double from, double span)
{
    const double dt = it->now.state.dt[0];
    double whole, rest;
    int failed = 0;
    if (!(dt > 0.0) || !(span >= 0.0)) return STATUS_ERROR;
    whole = floor(span / dt + 1e-9);
    rest = span - whole * dt;
    for (double k = 0.0; k < whole && !failed; k += 1.0) failed = machine_step(&it->now.state);
    if (!failed && rest > 1e-9 * dt) {
        it->now.state.dt[0] = rest;
        failed = machine_step(&it->now.state);
        it->now.state.dt[0] = dt;
    }
    if (failed) return STATUS_ERROR;
    it->now.time = from + span;
    return STATUS_OK;
}

static int copy_snapshot(const instance *it, void **kept)
{
    if (*kept == NULL) *kept = malloc(sizeof(snapshot));
    if (*kept == NULL) return STATUS_ERROR;
    memcpy(*kept, &it->now, sizeof(snapshot));
    return STATUS_OK;
}

