/**
 * Every metric of the services: instruments, the Prometheus page and the tables of docs/operating are made
 * from this list. Names follow OpenTelemetry. No attribute holds a key, a team, an id or anything that a
 * client sent: the values of each come from a short list, from the settings or from the code.
 */
export const metricList = {
  "http.server.request.duration": {
    kind: "histogram",
    unit: "s",
    services: ["ingress"],
    attributes: ["http.request.method", "http.route", "http.response.status_code"],
    help:
      "From the headers of a request to the end of its response, waiting included. Status 499: the " +
      "client left before.",
  },
  "http.server.active_requests": {
    kind: "gauge",
    unit: "{request}",
    services: ["ingress"],
    attributes: [],
    help: "Requests that have no complete response yet.",
  },
  "faceline.requests": {
    kind: "counter",
    unit: "{request}",
    services: ["ingress"],
    attributes: ["http.route", "outcome", "dependency"],
    help:
      "Requests that have ended. The outcome is ok, client_left, or the code of the error; the route is " +
      "other where there is none. The dependency is what is missing (kafka, redis-volatile, redis-durable, " +
      "batcher), else none.",
  },
  "faceline.team.requests": {
    kind: "counter",
    unit: "{request}",
    services: ["ingress"],
    attributes: ["class", "limit"],
    help:
      "Requests with a valid key (class team), without keys (AUTH=off: anonymous) or of the public tester " +
      "(visitor), by whether a limit of the caller was reached (reached, kept).",
  },
  "faceline.bodies.used": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "Request bodies in memory, as they count against their maximum: what has arrived, and a reservation.",
  },
  "faceline.bodies.max": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "BODIES_IN_FLIGHT_BYTES_MAX. Calls that do not fit are refused.",
  },
  "faceline.images.used": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "Images that this process has in the volatile Redis.",
  },
  "faceline.images.max": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "IMAGES_IN_FLIGHT_BYTES_MAX. Calls that do not fit are refused.",
  },
  "faceline.connections.used": {
    kind: "gauge",
    unit: "{connection}",
    services: ["ingress"],
    attributes: [],
    help: "Open connections of clients, idle ones included.",
  },
  "faceline.connections.max": {
    kind: "gauge",
    unit: "{connection}",
    services: ["ingress"],
    attributes: [],
    help: "CONNECTIONS_MAX. When as many are open, one without a request makes room for a new one.",
  },
  "faceline.connections.closed": {
    kind: "counter",
    unit: "{connection}",
    services: ["ingress"],
    attributes: ["reason"],
    help:
      "Connections that were closed because their client sent no request in time (request_timeout), did not " +
      "read (response_not_read), sent too many requests at once (pipelined_requests), or had to make room " +
      "(connections_full, address_share).",
  },

  "faceline.usage.unwritten": {
    kind: "gauge",
    unit: "{request}",
    services: ["ingress"],
    attributes: [],
    help:
      "Calls that were counted for their teams and are not in the durable Redis yet. A process that is killed " +
      "loses them.",
  },
  "faceline.usage.lost": {
    kind: "observed_counter",
    unit: "{request}",
    services: ["ingress"],
    attributes: [],
    help: "Calls that were not counted for their teams: there are 10,000 unwritten counters.",
  },

  "faceline.queue.duration": {
    kind: "histogram",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane"],
    help:
      "From the arrival of a task's call at the ingress to the first dispatch of the task. Part of the " +
      "request's duration.",
  },
  "faceline.queue.tasks": {
    kind: "gauge",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane", "service_class"],
    help: "Tasks that wait now, retries included, by service class: standard, best_effort.",
  },
  "faceline.queue.tasks.max": {
    kind: "gauge",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane", "service_class"],
    help:
      "Tasks that may wait, by service class: LANE_WAITING_MAX for each build of the lane (standard), 64 " +
      "(best_effort).",
  },
  "faceline.queue.age": {
    kind: "gauge",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane"],
    help: "How long the oldest task of a team has waited; 0 where none waits. Retries are not counted.",
  },
  "faceline.batches": {
    kind: "counter",
    unit: "{batch}",
    services: ["batcher"],
    attributes: ["lane", "reason"],
    help: "Batches that were sent, by what decided their size: full, floor, slack, hold_expired, retry, drain.",
  },
  "faceline.batch.size": {
    kind: "histogram",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Tasks of a batch.",
  },
  "faceline.batch.padding": {
    kind: "histogram",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Places of a batch that are padded: the size that its run takes the time of, less its tasks.",
  },
  "faceline.batch.lateness": {
    kind: "histogram",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane", "direction"],
    help: "How far the end of a run was from its prediction at dispatch: early or late.",
  },
  "faceline.tasks.shed": {
    kind: "counter",
    unit: "{task}",
    services: ["ingress", "batcher"],
    attributes: ["lane", "reason", "service_class"],
    help:
      "Tasks refused or dropped under load, by service class: standard, best_effort (anonymous calls). By a " +
      "batcher: queue_too_long, deadline_infeasible, early_drop. By an ingress, on arrival: queue_too_long " +
      "(best_effort, and large calls of a team that the batcher refuses), deadline_infeasible, bodies_full, " +
      "images_full, cpu_starved (the ingress itself had too little CPU); where it has not read the body, " +
      "the lane is unknown and the call counts as one task.",
  },
  "faceline.tasks.expired": {
    kind: "counter",
    unit: "{task}",
    services: ["batcher", "inference"],
    attributes: [],
    help:
      "Tasks that still waited at their deadline: in the queue of a batcher, or in a worker before " +
      "their images were fetched.",
  },
  "faceline.tasks.failed": {
    kind: "counter",
    unit: "{task}",
    services: ["batcher", "inference"],
    attributes: ["reason"],
    help:
      "Tasks that the service failed on: image_lost, decode_timeout, run_failed, attempts_exhausted, " +
      "build_gone. Tasks whose client left while they were on the way to a worker are image_lost too.",
  },
  "faceline.run.model.alpha": {
    kind: "gauge",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Learned fixed time of a run: a run of n tasks takes alpha + beta n.",
  },
  "faceline.run.model.beta": {
    kind: "gauge",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Learned time of each task of a run, padding included.",
  },
  "faceline.run.model.residual": {
    kind: "gauge",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Mean error of the learned times, without its sign.",
  },
  "faceline.hop.duration": {
    kind: "gauge",
    unit: "s",
    services: ["batcher"],
    attributes: ["hop"],
    help:
      "Learned 95th percentile of the time between two services: to_worker, from_worker, reply (end of a " +
      "run to published answers).",
  },
  "faceline.workers": {
    kind: "gauge",
    unit: "{worker}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Workers that can be sent batches, or load the lane for its first call.",
  },
  "faceline.workers.needed": {
    kind: "gauge",
    unit: "{worker}",
    services: ["batcher"],
    attributes: [],
    help:
      "Workers that the calls of the last five minutes need at UTILISATION_TARGET, refused calls included: " +
      "for an autoscaler. Only the active batcher has it.",
  },
  "faceline.batcher.active": {
    kind: "gauge",
    unit: "{batcher}",
    services: ["batcher"],
    attributes: [],
    help:
      "1: this batcher is the active one of its pool. 0: it is a hot standby. The metrics of lanes are those " +
      "of the active one.",
  },
  "faceline.kafka.lag": {
    kind: "gauge",
    unit: "{message}",
    services: ["batcher"],
    attributes: [],
    help:
      "Messages of the tasks topic whose tasks have not all ended, by the log end that the broker " +
      "reported with its last messages.",
  },
  "faceline.batches.unreceived": {
    kind: "gauge",
    unit: "{batch}",
    services: ["batcher"],
    attributes: ["partition"],
    help:
      "Batches that were sent and that no report of their worker has named yet: the lag of the batches " +
      "topic. Each partition belongs to one worker, which is sent three batches at most.",
  },

  "faceline.prepare.duration": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane"],
    help: "Fetching and decoding the images of a batch.",
  },
  "faceline.run.duration": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane", "bucket"],
    help:
      "Run of a batch, once for each batch; bucket: the size that it is padded to. The rate of its sum " +
      "is the utilisation of the worker by the lane.",
  },
  "faceline.run.cpu.time": {
    kind: "counter",
    unit: "s",
    services: ["inference"],
    attributes: ["lane", "bucket"],
    help:
      "CPU time of the engine's thread in runs that did not fail. What faceline.run.duration has more, a run " +
      "on CPUs waited for a core. Threads that INTRA_OP_THREADS adds are not counted.",
  },
  "faceline.run.prediction.error": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane", "direction"],
    help: "How far the run time of a batch was from its prediction: short or long.",
  },
  "faceline.answer.duration": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane"],
    help: "From the end of a run until its answers are published, or past their deadlines.",
  },
  "faceline.run.tasks": {
    kind: "gauge",
    unit: "{task}",
    services: ["inference"],
    attributes: [],
    help: "Tasks that run now.",
  },
  "faceline.runs.failed": {
    kind: "counter",
    unit: "{batch}",
    services: ["inference"],
    attributes: ["lane"],
    help: "Batches that could not be prepared or whose run failed. The batcher retries their tasks.",
  },
  "faceline.precision.fallback": {
    kind: "gauge",
    unit: "{model}",
    services: ["inference"],
    attributes: ["model"],
    help:
      "1: the model runs in float, and slower, because int8 is not accurate on this CPU. 0: it runs as " +
      "its settings say.",
  },

  "faceline.dead_letters": {
    kind: "observed_counter",
    unit: "{message}",
    services: ["batcher", "inference"],
    attributes: [],
    help: "Records of messages that could not be read and of tasks that failed.",
  },
  "faceline.background.failures": {
    kind: "observed_counter",
    unit: "{failure}",
    services: ["ingress", "batcher", "inference"],
    attributes: ["work"],
    help: "Background work that failed without harm to calls: it is repeated, or a time limit covers for it.",
  },
  "db.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: ["db.operation.name", "error.type"],
    help:
      "From sending a command to Redis until its reply or its failure, on all connections but those of " +
      "subscribers. Failures have an error.type: timeout, closed, the first word of the server's error, or " +
      "other.",
  },
  "faceline.dependency.up": {
    kind: "gauge",
    unit: "{server}",
    services: ["ingress", "batcher", "inference"],
    attributes: ["dependency"],
    help:
      "1: the dependency (kafka, redis-volatile, redis-durable) answers this process. 0: it does not, or may " +
      "not be used.",
  },
  "faceline.spans.lost": {
    kind: "observed_counter",
    unit: "{span}",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Spans that were not delivered: their receiver failed, or too many waited for it.",
  },
  "redis.memory.used": {
    kind: "gauge",
    unit: "By",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Memory of the volatile Redis, read every 5 s. Every process reports the same server.",
  },
  "redis.memory.max": {
    kind: "gauge",
    unit: "By",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Memory above which the volatile Redis refuses images.",
  },
  "nodejs.eventloop.delay.p50": eventLoopDelay("Median"),
  "nodejs.eventloop.delay.p99": eventLoopDelay("99th percentile"),
  "nodejs.eventloop.delay.max": eventLoopDelay("Maximum"),
  "process.start.time": {
    kind: "gauge",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Start of the process, in seconds since 1970. Its changes are the restarts.",
  },
  "process.memory.resident": {
    kind: "gauge",
    unit: "By",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Resident memory of the process.",
  },
} as const satisfies Record<string, MetricDefinition>;

function eventLoopDelay(what: string) {
  return {
    kind: "gauge",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: `${what} of the event loop's delay in the last 10 s.`,
  } as const;
}

export type MetricName = keyof typeof metricList;

export type MetricDefinition = {
  /** A gauge and an observed counter are read at each export, the others are recorded. */
  kind: "counter" | "histogram" | "gauge" | "observed_counter";
  unit: "s" | "By" | `{${string}}`;
  services: readonly ("ingress" | "batcher" | "inference")[];
  attributes: readonly string[];
  help: string;
};
