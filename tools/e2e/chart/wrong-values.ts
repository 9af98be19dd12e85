/**
 * Mistakes: the kind of the object, the path in the first one, the wrong value, and kubeconform's message.
 */
export const mistakes: [string, string, unknown, RegExp][] = [
  [
    "a misspelt field of a pod",
    "Deployment.spec.template.spec.terminationGracePeriodSecond",
    5,
    /terminationGracePeriodSecond'? not allowed/,
  ],
  ["text where a number belongs", "ScaledObject.spec.maxReplicaCount", "8", /maxReplicaCount.*want integer/],
  ["a field that KEDA does not have", "ScaledObject.spec.minReplicas", 2, /minReplicas'? not allowed/],
  [
    "a peer that is no peer",
    "NetworkPolicy.spec.egress.0.to",
    [{ cidr: "10.0.0.0/8" }],
    /cidr'? not allowed/,
  ],
  [
    "a target that no autoscaler has",
    "HorizontalPodAutoscaler.spec.scaleTarget",
    {},
    /scaleTarget'? not allowed/,
  ],
  ["a route to nothing", "HTTPRoute.spec.rules.0.backendRefs.0.name", undefined, /name/],
  ["a rule without an expression", "PrometheusRule.spec.groups.0.rules.0", { alert: "x" }, /expr/],
];

/** The sentence, and the values that it is for. */
export const wrongValues: [RegExp, Record<string, unknown>][] = [
  [/ingress\/replicas|ingress\.replicas/, { "ingress.replicas": "two" }],
  [/LOG_LEVLE/, { "settings.all": { LOG_LEVLE: "info" } }],
  [/AUTH/, { "settings.ingress": { AUTH: false } }],
  [/images\.registry: say where/, { "images.registry": "" }],
  [/kafka\.brokers: name at least one/, { "kafka.brokers": [] }],
  [/redis\.durable\.address: name/, { "redis.durable.address": "" }],
  [/redis\.volatile: set deploy, or/, { "redis.volatile.deploy": false }],
  [/redis\.volatile: deploy runs a server/, { "redis.volatile.address": "redis:6379" }],
  [/redis\.volatile\.tls: the server of this chart/, { "redis.volatile.tls": true }],
  [/pools: two pools/, { pools: [{ name: "a" }, { name: "a" }] }],
  [/smtp\.from: mails need/, { "smtp.address": "mail:587" }],
  [/PUBLIC_URL: mails name it/, { "smtp.address": "mail:587", "smtp.from": "a@b.example" }],
  [/ingress\.route\.host: name/, { "ingress.route.enabled": true }],
  [/ingress\.httpRoute\.parentRefs: name/, { "ingress.httpRoute.enabled": true }],
  [/models: set one of/, { "models.image": "a:1", "models.thresholds": "b" }],
  [/telemetry\.endpoint: headers/, { "telemetry.headers": { key: "a" } }],
  [/OTEL_TRACES_SAMPELR/, { "settings.all": { OTEL_TRACES_SAMPELR: "always_on" } }],
  // A token in values would be in the history of the release.
  [/OTEL_EXPORTER_OTLP_HEADERS/, { "settings.all": { OTEL_EXPORTER_OTLP_HEADERS: "a=b" } }],
  [/podAnotations/, { "ingress.extra": { podAnotations: {} } }],
];
