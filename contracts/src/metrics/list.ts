/** Attributes of every message of Kafka. The address is the first one of KAFKA_BROKERS. */
const ofMessages = [
  "messaging.system",
  "messaging.operation.name",
  "messaging.destination.name",
  "server.address",
  "server.port",
] as const;
const consumerGroup = ["messaging.consumer.group.name"] as const;

/**
 * Every metric of the services: instruments, the Prometheus page and the tables of docs/operating are made
 * from this list. Names follow OpenTelemetry. No attribute holds a key, a team, an id or client input: the
 * values of each come from a short list, from the settings or from the code. Teams would be series that never
 * end, and readers of metrics may not be allowed to know the customers: the live page has the teams.
 */
export const metricList = {
  "http.server.request.duration": {
    kind: "histogram",
    unit: "s",
    services: ["ingress"],
    attributes: [
      "http.request.method",
      "url.scheme",
      "http.route",
      "http.response.status_code",
      "error.type",
    ],
    help:
      "From receiving the request headers to the end of the response. Status 499: the client " +
      "disconnected first. error.type: the error code, for status 500 and above.",
  },
  "http.server.active_requests": {
    kind: "observed_up_down_counter",
    unit: "{request}",
    services: ["ingress"],
    attributes: ["http.request.method", "url.scheme"],
    help: "Requests without a complete response.",
  },
  "faceline.requests": {
    kind: "counter",
    unit: "{request}",
    services: ["ingress"],
    attributes: ["http.route", "outcome", "dependency"],
    help:
      "Completed requests. The outcome is ok, client_left, or the error code; the route is other if " +
      "there is none. The dependency is the missing server (kafka, redis-volatile, redis-durable, " +
      "batcher), or none.",
  },
  "faceline.team.requests": {
    kind: "counter",
    unit: "{request}",
    services: ["ingress"],
    attributes: ["class", "limit"],
    help:
      "Requests with a valid key (class team), without a key (anonymous) or of the public tester " +
      "(visitor), by whether a limit of the caller was reached or kept.",
  },
  "faceline.bodies.used": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "Request bodies in memory, as counted against the maximum: received bytes plus a reservation.",
  },
  "faceline.bodies.max": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "BODIES_IN_FLIGHT_BYTES_MAX. Requests that do not fit are refused.",
  },
  "faceline.images.used": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "Images of this process in the volatile Redis.",
  },
  "faceline.images.max": {
    kind: "gauge",
    unit: "By",
    services: ["ingress"],
    attributes: [],
    help: "IMAGES_IN_FLIGHT_BYTES_MAX. Requests that do not fit are refused.",
  },
  "faceline.connections.used": {
    kind: "gauge",
    unit: "{connection}",
    services: ["ingress"],
    attributes: [],
    help: "Open client connections, including idle ones.",
  },
  "faceline.connections.max": {
    kind: "gauge",
    unit: "{connection}",
    services: ["ingress"],
    attributes: [],
    help: "CONNECTIONS_MAX. At this number, one without a key is closed for each new one.",
  },
  "faceline.connections.closed": {
    kind: "counter",
    unit: "{connection}",
    services: ["ingress"],
    attributes: ["reason"],
    help:
      "Connections closed because their client sent no request in time (request_timeout), did not read " +
      "(response_not_read), sent too many requests at once (pipelined_requests), or had to make room " +
      "(connections_full).",
  },

  "faceline.usage.unwritten": {
    kind: "gauge",
    unit: "{request}",
    services: ["ingress"],
    attributes: [],
    help: "Requests that are counted but not yet in the durable Redis. A killed process loses them.",
  },
  "faceline.usage.lost": {
    kind: "observed_counter",
    unit: "{request}",
    services: ["ingress"],
    attributes: [],
    help: "Requests that were not counted, because there were 10,000 unwritten counters.",
  },

  "faceline.queue.duration": {
    kind: "histogram",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane"],
    help: "From the arrival of a request at the ingress to the first dispatch of its task.",
  },
  "faceline.queue.tasks": {
    kind: "gauge",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Waiting tasks, including retries.",
  },
  "faceline.queue.tasks.max": {
    kind: "gauge",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Most waiting tasks: LANE_WAITING_MAX for each build of the lane.",
  },
  "faceline.queue.age": {
    kind: "gauge",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Age of the oldest waiting task, excluding retries; 0 if none waits.",
  },
  "faceline.batches": {
    kind: "counter",
    unit: "{batch}",
    services: ["batcher"],
    attributes: ["lane", "reason"],
    help: "Batches sent, by what decided their size: full, floor, slack, hold_expired, retry, drain.",
  },
  "faceline.batch.size": {
    kind: "histogram",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Tasks per batch.",
  },
  "faceline.batch.padding": {
    kind: "histogram",
    unit: "{task}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Padding of a batch: the size that its run is timed as, minus its tasks.",
  },
  "faceline.batch.lateness": {
    kind: "histogram",
    unit: "s",
    services: ["batcher"],
    attributes: ["lane", "direction"],
    help: "Difference between the end of a run and its prediction at dispatch: early or late.",
  },
  "faceline.tasks.shed": {
    kind: "counter",
    unit: "{task}",
    services: ["ingress", "batcher"],
    attributes: ["lane", "reason"],
    help:
      "Tasks refused or dropped under load. By a batcher: queue_too_long, deadline_infeasible, " +
      "early_drop. By an ingress, on arrival: queue_too_long (large requests of a team that the batcher " +
      "refuses), deadline_infeasible, bodies_full, images_full, cpu_starved (too little CPU in the " +
      "ingress itself). If the body was not read, the lane is unknown and the " +
      "request counts as one task.",
  },
  "faceline.tasks.expired": {
    kind: "counter",
    unit: "{task}",
    services: ["batcher", "inference"],
    attributes: [],
    help: "Tasks still waiting at their deadline, in a batcher or a worker.",
  },
  "faceline.tasks.failed": {
    kind: "counter",
    unit: "{task}",
    services: ["batcher", "inference"],
    attributes: ["reason"],
    help:
      "Tasks on which the service failed: image_lost, decode_timeout, run_failed, attempts_exhausted, " +
      "build_gone.",
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
    help: "Mean absolute error of the learned times.",
  },
  "faceline.hop.duration": {
    kind: "gauge",
    unit: "s",
    services: ["batcher"],
    attributes: ["hop"],
    help:
      "Learned 95th percentile of the time between two services: to_worker, from_worker, `reply` (end of a " +
      "run to published answers).",
  },
  "faceline.workers": {
    kind: "gauge",
    unit: "{worker}",
    services: ["batcher"],
    attributes: ["lane"],
    help: "Workers that can receive batches, or load the lane for its first request.",
  },
  "faceline.workers.needed": {
    kind: "gauge",
    unit: "{worker}",
    services: ["batcher"],
    attributes: [],
    help:
      "Workers that the requests of the last five minutes need at UTILISATION_TARGET, including refused " +
      "requests. For autoscalers; only the active batcher exports it.",
  },
  "faceline.batcher.active": {
    kind: "gauge",
    unit: "{batcher}",
    services: ["batcher"],
    attributes: [],
    help: "1: the active batcher of its pool, whose lane metrics count. 0: a hot standby.",
  },
  "faceline.kafka.lag": {
    kind: "gauge",
    unit: "{message}",
    services: ["batcher"],
    attributes: [],
    help: "Messages of the tasks topic with unfinished tasks, by the log end offset of the last one read.",
  },
  "faceline.batches.unreceived": {
    kind: "gauge",
    unit: "{batch}",
    services: ["batcher"],
    attributes: ["partition"],
    help:
      "Batches sent and not yet named in a worker's report: the lag of the batches topic. Each partition " +
      "belongs to one worker, which is sent at most three.",
  },

  "faceline.prepare.duration": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane"],
    help: "Time to fetch and decode the images of a batch.",
  },
  "faceline.run.duration": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane", "bucket"],
    help: "Run time of a batch. bucket: the size that it is padded to.",
  },
  "faceline.run.cpu.time": {
    kind: "counter",
    unit: "s",
    services: ["inference"],
    attributes: ["lane", "bucket"],
    help:
      "CPU time of the engine's thread in successful runs, excluding the threads of INTRA_OP_THREADS. On " +
      "CPUs, the difference from faceline.run.duration is time spent waiting for a core.",
  },
  "faceline.run.prediction.error": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane", "direction"],
    help: "Difference between the run time of a batch and its prediction: short or long.",
  },
  "faceline.answer.duration": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: ["lane"],
    help: "From the end of a run until its answers are published or past their deadlines.",
  },
  "faceline.run.tasks": {
    kind: "gauge",
    unit: "{task}",
    services: ["inference"],
    attributes: [],
    help: "Tasks running now.",
  },
  "faceline.runs.failed": {
    kind: "counter",
    unit: "{batch}",
    services: ["inference"],
    attributes: ["lane"],
    help: "Batches that could not be prepared or whose run failed.",
  },
  "faceline.precision.fallback": {
    kind: "gauge",
    unit: "{model}",
    services: ["inference"],
    attributes: ["model"],
    help: "1: the model runs in float, and slower, because int8 is not accurate on this CPU. Otherwise 0.",
  },

  "faceline.dead_letters": {
    kind: "observed_counter",
    unit: "{message}",
    services: ["batcher", "inference"],
    attributes: [],
    help: "Records of unreadable messages and failed tasks.",
  },
  "faceline.background.failures": {
    kind: "observed_counter",
    unit: "{failure}",
    services: ["ingress", "batcher", "inference"],
    attributes: ["work"],
    help: "Failures of background work, which do not affect requests.",
  },
  "db.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: [
      "dependency",
      "db.system.name",
      "db.namespace",
      "db.operation.name",
      "server.address",
      "server.port",
      "error.type",
    ],
    help:
      "From sending a command to Redis (dependency: redis-volatile, redis-durable) to its response. " +
      "error.type: timeout, closed, other, or the first word of the server's error.",
  },
  "messaging.client.operation.duration": {
    kind: "histogram",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: [...ofMessages, "messaging.operation.type", ...consumerGroup, "error.type"],
    help: "Requests to Kafka that send messages or commit offsets (type settle).",
  },
  "messaging.client.sent.messages": {
    kind: "counter",
    unit: "{message}",
    services: ["ingress", "batcher"],
    attributes: [...ofMessages, "error.type"],
    help: "Messages sent to Kafka.",
  },
  "messaging.client.consumed.messages": {
    kind: "counter",
    unit: "{message}",
    services: ["batcher", "inference"],
    attributes: [...ofMessages, ...consumerGroup],
    help: "Messages from Kafka.",
  },
  "messaging.process.duration": {
    kind: "histogram",
    unit: "s",
    services: ["inference"],
    attributes: [...ofMessages, ...consumerGroup, "error.type"],
    help: "From a batch's arrival until its answers are published.",
  },
  "faceline.dependency.up": {
    kind: "gauge",
    unit: "{server}",
    services: ["ingress", "batcher", "inference"],
    attributes: ["dependency"],
    help:
      "1: the dependency (kafka, redis-volatile, redis-durable) responds to this process. 0: it does " +
      "not, or must not be used.",
  },
  "faceline.spans.lost": {
    kind: "observed_counter",
    unit: "{span}",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Undelivered spans.",
  },
  "redis.memory.used": {
    kind: "gauge",
    unit: "By",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Memory of the volatile Redis, read every second. All processes report the same server.",
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
  "faceline.build_info": {
    kind: "gauge",
    unit: "{process}",
    services: ["ingress", "batcher", "inference"],
    attributes: ["version", "revision"],
    help: "Always 1. Release and commit of the process.",
  },
  "process.start.time": {
    kind: "gauge",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Start of the process, in seconds since 1970. Each change is a restart.",
  },
  "process.cpu.time": {
    kind: "observed_counter",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: ["cpu.mode"],
    help: "CPU time of all threads.",
  },
  "nodejs.eventloop.utilization": {
    kind: "gauge",
    unit: "1",
    services: ["ingress", "batcher", "inference"],
    attributes: [],
    help: "Busy share of the event loop in the last 10 s.",
  },
  "v8js.gc.duration": {
    kind: "histogram",
    unit: "s",
    services: ["ingress", "batcher", "inference"],
    attributes: ["v8js.gc.type"],
    help: "Garbage collection pauses.",
  },
  "v8js.memory.heap.used": {
    kind: "observed_up_down_counter",
    unit: "By",
    services: ["ingress", "batcher", "inference"],
    attributes: ["v8js.heap.space.name"],
    help: "Memory of JavaScript objects.",
  },
  "v8js.memory.heap.limit": {
    kind: "observed_up_down_counter",
    unit: "By",
    services: ["ingress", "batcher", "inference"],
    attributes: ["v8js.heap.space.name"],
    help: "Memory reserved for them.",
  },
  "process.memory.usage": {
    kind: "observed_up_down_counter",
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
  /** Gauges and observed metrics are read at each export, the others are recorded. */
  kind: "counter" | "histogram" | "gauge" | "observed_counter" | "observed_up_down_counter";
  unit: "s" | "By" | "1" | `{${string}}`;
  services: readonly ("ingress" | "batcher" | "inference")[];
  attributes: readonly string[];
  help: string;
};
