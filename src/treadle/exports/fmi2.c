/* FMI 2.0, co-simulation and model exchange. */
typedef void *component;
typedef unsigned int reference2;
typedef int status2;
typedef int boolean2;
typedef const char *string2;

EXPORTED const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORTED const char *fmi2GetVersion(void) { return "2.0"; }

EXPORTED status2 fmi2SetDebugLogging(component c, boolean2 on, size_t n, const string2 categories[])
{
    (void)c; (void)on; (void)n; (void)categories;
    return STATUS_OK;
}

EXPORTED component fmi2Instantiate(string2 name, int type, string2 guid, string2 resources, const void *functions,
                                   boolean2 visible, boolean2 logging)
{
    (void)name; (void)resources; (void)functions; (void)visible; (void)logging;
    /* type 0 is model exchange */
    return type == 1 || MACHINE_STATES ? new_instance(guid) : NULL;
}

EXPORTED void fmi2FreeInstance(component c) { free(c); }

EXPORTED status2 fmi2SetupExperiment(component c, boolean2 tolerant, double tolerance, double start,
                                     boolean2 ends, double stop)
{
    (void)tolerant; (void)tolerance; (void)ends; (void)stop;
    return set_time(c, start);
}

EXPORTED status2 fmi2EnterInitializationMode(component c) { (void)c; return STATUS_OK; }
EXPORTED status2 fmi2ExitInitializationMode(component c) { (void)c; return STATUS_OK; }
EXPORTED status2 fmi2Terminate(component c) { (void)c; return STATUS_OK; }
EXPORTED status2 fmi2Reset(component c) { return reset_instance(c); }

EXPORTED status2 fmi2GetReal(component c, const reference2 vr[], size_t n, double value[])
{
    return get_numbers(c, vr, n, value);
}

EXPORTED status2 fmi2SetReal(component c, const reference2 vr[], size_t n, const double value[])
{
    return set_numbers(c, vr, n, value);
}

#define NO_VARIABLES(NAME, TYPE) \
    EXPORTED status2 fmi2Get##NAME(component c, const reference2 vr[], size_t n, TYPE value[]) \
    { (void)c; (void)vr; (void)value; return n == 0 ? STATUS_OK : STATUS_ERROR; } \
    EXPORTED status2 fmi2Set##NAME(component c, const reference2 vr[], size_t n, const TYPE value[]) \
    { (void)c; (void)vr; (void)value; return n == 0 ? STATUS_OK : STATUS_ERROR; }
NO_VARIABLES(Integer, int)
NO_VARIABLES(Boolean, boolean2)
NO_VARIABLES(String, string2)

EXPORTED status2 fmi2GetFMUstate(component c, void **state) { return copy_snapshot(c, state); }

EXPORTED status2 fmi2SetFMUstate(component c, void *state)
{
    return restore_snapshot(c, state);
}

EXPORTED status2 fmi2FreeFMUstate(component c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return STATUS_OK;
}

EXPORTED status2 fmi2SerializedFMUstateSize(component c, void *state, size_t *size)
{
    (void)c; (void)state;
    *size = sizeof(snapshot);
    return STATUS_OK;
}

EXPORTED status2 fmi2SerializeFMUstate(component c, void *state, char bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(snapshot)) return STATUS_ERROR;
    memcpy(bytes, state, sizeof(snapshot));
    return STATUS_OK;
}

EXPORTED status2 fmi2DeSerializeFMUstate(component c, const char bytes[], size_t size, void **state)
{
    if (size != sizeof(snapshot) || copy_snapshot(c, state) != STATUS_OK) return STATUS_ERROR;
    memcpy(*state, bytes, sizeof(snapshot));
    return STATUS_OK;
}

EXPORTED status2 fmi2GetDirectionalDerivative(component c, const reference2 unknown[], size_t n,
                                              const reference2 known[], size_t m, const double seed[],
                                              double sensitivity[])
{
    return along(c, unknown, n, known, m, seed, sensitivity);
}

EXPORTED status2 fmi2SetRealInputDerivatives(component c, const reference2 vr[], size_t n, const int order[],
                                             const double value[])
{
    (void)c; (void)vr; (void)n; (void)order; (void)value;
    return STATUS_ERROR;
}

EXPORTED status2 fmi2GetRealOutputDerivatives(component c, const reference2 vr[], size_t n, const int order[],
                                              double value[])
{
    (void)c; (void)vr; (void)n; (void)order; (void)value;
    return STATUS_ERROR;
}

EXPORTED status2 fmi2DoStep(component c, double from, double span, boolean2 final)
{
    (void)final;
    return advance(c, from, span);
}

EXPORTED status2 fmi2CancelStep(component c) { (void)c; return STATUS_ERROR; }

#define NO_STATUS(NAME, TYPE) \
    EXPORTED status2 fmi2Get##NAME##Status(component c, int kind, TYPE *value) \
    { (void)c; (void)kind; (void)value; return STATUS_DISCARD; }
EXPORTED status2 fmi2GetStatus(component c, int kind, status2 *value)
{
    (void)c; (void)kind; (void)value;
    return STATUS_DISCARD;
}
NO_STATUS(Real, double)
NO_STATUS(Integer, int)
NO_STATUS(Boolean, boolean2)
NO_STATUS(String, string2)

/* Model exchange: the flags of fmi2EventInfo, then the time of the next event. */
typedef struct {
    boolean2 again, terminate, nominals, values, next;
    double time;
} event_info;

EXPORTED status2 fmi2EnterEventMode(component c) { (void)c; return STATUS_OK; }
EXPORTED status2 fmi2EnterContinuousTimeMode(component c) { (void)c; return STATUS_OK; }
EXPORTED status2 fmi2SetTime(component c, double time) { return set_time(c, time); }

EXPORTED status2 fmi2NewDiscreteStates(component c, event_info *info)
{
    (void)c;
    memset(info, 0, sizeof *info);
    return STATUS_OK;
}

EXPORTED status2 fmi2CompletedIntegratorStep(component c, boolean2 kept, boolean2 *event, boolean2 *terminate)
{
    (void)c; (void)kept;
    *event = *terminate = 0;
    return STATUS_OK;
}

EXPORTED status2 fmi2SetContinuousStates(component c, const double states[], size_t n) { return set_states(c, states, n); }
EXPORTED status2 fmi2GetContinuousStates(component c, double states[], size_t n) { return get_states(c, states, n); }
EXPORTED status2 fmi2GetDerivatives(component c, double rates[], size_t n) { return get_rates(c, rates, n); }

EXPORTED status2 fmi2GetNominalsOfContinuousStates(component c, double nominals[], size_t n)
{
    (void)c;
    return get_nominals(nominals, n);
}

EXPORTED status2 fmi2GetEventIndicators(component c, double indicators[], size_t n)
{
    (void)c; (void)indicators;
    return n == 0 ? STATUS_OK : STATUS_ERROR;
}
