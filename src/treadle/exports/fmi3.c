/* FMI 3.0, co-simulation and model exchange. */
#include <stdbool.h>

typedef void *instance3;
typedef uint32_t reference3;
typedef int status3;
typedef const char *string3;
typedef const uint8_t *binary3;

EXPORTED const char *fmi3GetVersion(void) { return "3.0"; }

EXPORTED status3 fmi3SetDebugLogging(instance3 c, bool on, size_t n, const string3 categories[])
{
    (void)c; (void)on; (void)n; (void)categories;
    return STATUS_OK;
}

EXPORTED instance3 fmi3InstantiateCoSimulation(string3 name, string3 token, string3 resources, bool visible,
                                               bool logging, bool events, bool early,
                                               const reference3 needed[], size_t count, void *environment,
                                               void *log, void *update)
{
    (void)name; (void)resources; (void)visible; (void)logging; (void)events; (void)early;
    (void)needed; (void)count; (void)environment; (void)log; (void)update;
    return new_instance(token);
}

EXPORTED instance3 fmi3InstantiateModelExchange(string3 name, string3 token, string3 resources, bool visible,
                                                bool logging, void *environment, void *log)
{
    (void)name; (void)resources; (void)visible; (void)logging; (void)environment; (void)log;
    return MACHINE_STATES ? new_instance(token) : NULL;
}

EXPORTED instance3 fmi3InstantiateScheduledExecution(string3 name, string3 token, string3 resources, bool visible,
                                                     bool logging, void *environment, void *log, void *clock,
                                                     void *lock, void *unlock)
{
    (void)name; (void)token; (void)resources; (void)visible; (void)logging; (void)environment; (void)log;
    (void)clock; (void)lock; (void)unlock;
    return NULL;
}

EXPORTED void fmi3FreeInstance(instance3 c) { free(c); }

EXPORTED status3 fmi3EnterInitializationMode(instance3 c, bool tolerant, double tolerance, double start, bool ends,
                                             double stop)
{
    (void)tolerant; (void)tolerance; (void)ends; (void)stop;
    return set_time(c, start);
}

EXPORTED status3 fmi3ExitInitializationMode(instance3 c) { (void)c; return STATUS_OK; }
EXPORTED status3 fmi3Terminate(instance3 c) { (void)c; return STATUS_OK; }
EXPORTED status3 fmi3Reset(instance3 c) { return reset_instance(c); }

EXPORTED status3 fmi3GetFloat64(instance3 c, const reference3 vr[], size_t n, double values[], size_t count)
{
    return n == count ? get_numbers(c, vr, n, values) : STATUS_ERROR;
}

EXPORTED status3 fmi3SetFloat64(instance3 c, const reference3 vr[], size_t n, const double values[], size_t count)
{
    return n == count ? set_numbers(c, vr, n, values) : STATUS_ERROR;
}

#define NO_VARIABLES(NAME, TYPE) \
    EXPORTED status3 fmi3Get##NAME(instance3 c, const reference3 vr[], size_t n, TYPE values[], size_t count) \
    { (void)c; (void)vr; (void)values; (void)count; return n == 0 ? STATUS_OK : STATUS_ERROR; } \
    EXPORTED status3 fmi3Set##NAME(instance3 c, const reference3 vr[], size_t n, const TYPE values[], size_t count) \
    { (void)c; (void)vr; (void)values; (void)count; return n == 0 ? STATUS_OK : STATUS_ERROR; }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, string3)

EXPORTED status3 fmi3GetBinary(instance3 c, const reference3 vr[], size_t n, size_t sizes[], binary3 values[],
                               size_t count)
{
    (void)c; (void)vr; (void)sizes; (void)values; (void)count;
    return n == 0 ? STATUS_OK : STATUS_ERROR;
}

EXPORTED status3 fmi3SetBinary(instance3 c, const reference3 vr[], size_t n, const size_t sizes[],
                               const binary3 values[], size_t count)
{
    (void)c; (void)vr; (void)sizes; (void)values; (void)count;
    return n == 0 ? STATUS_OK : STATUS_ERROR;
}

EXPORTED status3 fmi3GetClock(instance3 c, const reference3 vr[], size_t n, bool values[])
{
    (void)c; (void)vr; (void)values;
    return n == 0 ? STATUS_OK : STATUS_ERROR;
}

EXPORTED status3 fmi3SetClock(instance3 c, const reference3 vr[], size_t n, const bool values[])
{
    (void)c; (void)vr; (void)values;
    return n == 0 ? STATUS_OK : STATUS_ERROR;
}

EXPORTED status3 fmi3GetFMUState(instance3 c, void **state) { return copy_snapshot(c, state); }

EXPORTED status3 fmi3SetFMUState(instance3 c, void *state)
{
    return restore_snapshot(c, state);
}

EXPORTED status3 fmi3FreeFMUState(instance3 c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return STATUS_OK;
}

EXPORTED status3 fmi3SerializedFMUStateSize(instance3 c, void *state, size_t *size)
{
    (void)c; (void)state;
    *size = sizeof(snapshot);
    return STATUS_OK;
}

EXPORTED status3 fmi3SerializeFMUState(instance3 c, void *state, uint8_t bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(snapshot)) return STATUS_ERROR;
    memcpy(bytes, state, sizeof(snapshot));
    return STATUS_OK;
}

EXPORTED status3 fmi3DeserializeFMUState(instance3 c, const uint8_t bytes[], size_t size, void **state)
{
    if (size != sizeof(snapshot) || copy_snapshot(c, state) != STATUS_OK) return STATUS_ERROR;
    memcpy(*state, bytes, sizeof(snapshot));
    return STATUS_OK;
}

EXPORTED status3 fmi3DoStep(instance3 c, double from, double span, bool final, bool *event, bool *terminate,
                            bool *early, double *reached)
{
    int status = advance(c, from, span);
    (void)final;
    *event = *terminate = *early = false;
    *reached = ((instance *)c)->now.time;
    return status;
}

EXPORTED status3 fmi3EnterEventMode(instance3 c) { (void)c; return STATUS_OK; }
EXPORTED status3 fmi3EnterContinuousTimeMode(instance3 c) { (void)c; return STATUS_OK; }
EXPORTED status3 fmi3SetTime(instance3 c, double time) { return set_time(c, time); }

EXPORTED status3 fmi3UpdateDiscreteStates(instance3 c, bool *again, bool *terminate, bool *nominals, bool *values,
                                          bool *next, double *time)
{
    (void)c;
    *again = *terminate = *nominals = *values = *next = false;
    *time = 0.0;
    return STATUS_OK;
}

EXPORTED status3 fmi3CompletedIntegratorStep(instance3 c, bool kept, bool *event, bool *terminate)
{
    (void)c; (void)kept;
    *event = *terminate = false;
    return STATUS_OK;
}

EXPORTED status3 fmi3SetContinuousStates(instance3 c, const double states[], size_t n) { return set_states(c, states, n); }
EXPORTED status3 fmi3GetContinuousStates(instance3 c, double states[], size_t n) { return get_states(c, states, n); }
EXPORTED status3 fmi3GetContinuousStateDerivatives(instance3 c, double rates[], size_t n) { return get_rates(c, rates, n); }

EXPORTED status3 fmi3GetNominalsOfContinuousStates(instance3 c, double nominals[], size_t n)
{
    (void)c;
    return get_nominals(nominals, n);
}

EXPORTED status3 fmi3GetNumberOfContinuousStates(instance3 c, size_t *n)
{
    (void)c;
    *n = MACHINE_STATES;
    return STATUS_OK;
}

EXPORTED status3 fmi3GetNumberOfEventIndicators(instance3 c, size_t *n)
{
    (void)c;
    *n = 0;
    return STATUS_OK;
}

EXPORTED status3 fmi3GetEventIndicators(instance3 c, double indicators[], size_t n)
{
    (void)c; (void)indicators;
    return n == 0 ? STATUS_OK : STATUS_ERROR;
}

EXPORTED status3 fmi3GetDirectionalDerivative(instance3 c, const reference3 unknown[], size_t unknowns,
                                              const reference3 known[], size_t knowns, const double seed[],
                                              size_t seeds, double sensitivity[], size_t sensitivities)
{
    if (seeds != knowns || sensitivities != unknowns) return STATUS_ERROR;
    return along(c, unknown, unknowns, known, knowns, seed, sensitivity);
}

/* What a machine without events, clocks and adjoints does not do. */
#define REFUSED(NAME) EXPORTED status3 fmi3##NAME(instance3 c) { (void)c; return STATUS_ERROR; }
REFUSED(EnterConfigurationMode)
REFUSED(ExitConfigurationMode)
REFUSED(GetNumberOfVariableDependencies)
REFUSED(GetVariableDependencies)
REFUSED(GetAdjointDerivative)
REFUSED(GetIntervalDecimal)
REFUSED(GetIntervalFraction)
REFUSED(GetShiftDecimal)
REFUSED(GetShiftFraction)
REFUSED(SetIntervalDecimal)
REFUSED(SetIntervalFraction)
REFUSED(SetShiftDecimal)
REFUSED(SetShiftFraction)
REFUSED(EvaluateDiscreteStates)
REFUSED(EnterStepMode)
REFUSED(GetOutputDerivatives)
REFUSED(ActivateModelPartition)
