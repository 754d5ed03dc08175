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
    machine_state seeds; /* a direction in which derivatives are taken */
    double rates[MACHINE_STATES + 1];
    int stale; /* whether the rates are those of another state */
} instance;

static instance *new_instance(const char *token)
{
    instance *made;
    if (token == NULL || strcmp(token, MACHINE_TOKEN) != 0) return NULL;
    made = calloc(1, sizeof *made);
    if (made != NULL) {
        machine_initialize(&made->now.state);
        made->stale = 1;
    }
    return made;
}

static int reset_instance(instance *it)
{
    it->now.time = 0.0;
    it->stale = 1;
    machine_initialize(&it->now.state);
    return STATUS_OK;
}

/* Rates of the continuous states, computed where the state has changed. */
static const double *rates_of(instance *it)
{
#if MACHINE_STATES
    if (it->stale) {
        const double now[1] = {it->now.time};
        machine_rates(&it->now.state, now, it->rates);
        it->stale = 0;
    }
#endif
    return it->rates;
}

static int get_numbers(instance *it, const uint32_t references[], size_t count, double values[])
{
    const double *slots = (const double *)&it->now.state;
    for (size_t k = 0; k < count; k++) {
        if (references[k] == MACHINE_TIME) values[k] = it->now.time;
#if MACHINE_STATES
        else if (references[k] - MACHINE_RATES < MACHINE_STATES) values[k] = rates_of(it)[references[k] - MACHINE_RATES];
#endif
        else if (references[k] < SLOTS) values[k] = slots[references[k]];
        else return STATUS_ERROR;
    }
    return STATUS_OK;
}

static int set_numbers(instance *it, const uint32_t references[], size_t count, const double values[])
{
    double *slots = (double *)&it->now.state;
    it->stale = 1;
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
    it->stale = 1;
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


static int restore_snapshot(instance *it, const void *kept)
{
    memcpy(&it->now, kept, sizeof(snapshot));
    it->stale = 1;
    return STATUS_OK;
}

/* Model exchange: q, v and the actuators' own state, one after another. */
static int move_states(instance *it, double values[], const double given[], size_t count)
{
    double *const q = it->now.state.q, *const v = it->now.state.v;
    if (count != MACHINE_STATES) return STATUS_ERROR;
    for (size_t k = 0; k < count; k++) {
        double *place = k < MACHINE_Q ? q + k : v + (k - MACHINE_Q);
#if MACHINE_DRIVES
        if (k >= MACHINE_Q + MACHINE_V) place = it->now.state.drives + (k - MACHINE_Q - MACHINE_V);
#endif
        if (given == NULL) values[k] = *place;
        else if (isfinite(given[k])) *place = given[k];
        else return STATUS_DISCARD;
    }
    if (given != NULL) it->stale = 1;
    return STATUS_OK;
}

static int get_states(instance *it, double values[], size_t count) { return move_states(it, values, NULL, count); }
static int set_states(instance *it, const double given[], size_t count) { return move_states(it, NULL, given, count); }

static int get_rates(instance *it, double values[], size_t count)
{
    if (count != MACHINE_STATES) return STATUS_ERROR;
    memcpy(values, rates_of(it), count * sizeof(double));
    return STATUS_OK;
}

static int get_nominals(double values[], size_t count)
{
    for (size_t k = 0; k < count; k++) values[k] = 1.0;
    return STATUS_OK;
}

static int set_time(instance *it, double time)
{
    it->now.time = time;
    it->stale = 1;
    return STATUS_OK;
}

/* Derivatives of states and rates along changes of states and inputs. */
static int along(instance *it, const uint32_t unknown[], size_t unknowns, const uint32_t known[], size_t knowns,
                 const double seed[], double sensitivity[])
{
#if MACHINE_STATES
    double *seeds = (double *)&it->seeds, found[MACHINE_STATES];
    const double now[1] = {it->now.time};
    memset(&it->seeds, 0, sizeof it->seeds);
    for (size_t k = 0; k < knowns; k++) {
        if (known[k] >= SLOTS) return STATUS_ERROR;
        seeds[known[k]] = seed[k];
    }
    machine_rates_along(&it->now.state, now, &it->seeds, found);
    for (size_t k = 0; k < unknowns; k++) {
        if (unknown[k] - MACHINE_RATES < MACHINE_STATES) sensitivity[k] = found[unknown[k] - MACHINE_RATES];
        else if (unknown[k] < SLOTS) sensitivity[k] = seeds[unknown[k]];
        else return STATUS_ERROR;
    }
    return STATUS_OK;
#else
    (void)it; (void)unknown; (void)unknowns; (void)known; (void)knowns; (void)seed; (void)sensitivity;
    return STATUS_ERROR;
#endif
}

