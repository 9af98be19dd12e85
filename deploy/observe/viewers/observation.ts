import { findJava } from "../../launcher/java-install.ts";
import { operatorsTokenFile } from "../../launcher/launch-operators.ts";
import type { PortSetting } from "../../launcher/ports.ts";
import { reachableHost } from "../../launcher/services.ts";
import type { LauncherConfig } from "../../launcher/settings.ts";
import type { StateFolder } from "../../launcher/state-folder.ts";
import type { Steps } from "../../launcher/steps.ts";
import { Supervisor, type SupervisorOptions } from "../../launcher/supervisor.ts";
import { prometheusOrigin, prometheusProgram } from "./prometheus.ts";
import { findPrometheus, pagesPath, type PrometheusCommands } from "./prometheus-install.ts";
import { fetchZipkin, zipkinOrigin, zipkinProgram } from "./zipkin.ts";

/**
 * Viewers of `npm start -- --observe`: Zipkin and Prometheus. Start it before the services, and dispose it
 * after them: their last spans come at their end.
 */
export class Observation implements AsyncDisposable {
  readonly #options: ObservationOptions;
  readonly #running: Supervisor[] = [];
  #commands: ObservationCommands | undefined;
  #starting: Promise<void> = Promise.resolve();

  constructor(options: ObservationOptions) {
    this.#options = options;
  }

  /** Addresses for a browser. To be called after `fetch`. */
  get addresses(): string[] {
    const { config } = this.#options;
    const { prometheus } = this.#commands!;
    const zipkin = `${zipkinOrigin(config.ZIPKIN_PORT)}/zipkin/`;
    if (prometheus === undefined) return [zipkin];
    return [zipkin, `${prometheusOrigin(config.PROMETHEUS_PORT)}${pagesPath(prometheus)}/graph`];
  }

  /** Finds or fetches the programs. To be called before `start`. */
  async fetch(steps: Steps): Promise<void> {
    const { state, watch } = this.#options;
    const { java, jar } = await steps.run("Zipkin", async (note) => {
      note("83 MB may come, once");
      const { command } = await findJava(state.java, watch.stop);
      const found = await fetchZipkin(state.zipkin, watch.stop);
      note(found.source);
      return { java: command, jar: found.jar };
    });
    let prometheus: PrometheusCommands | undefined;
    await steps.attempt("Prometheus", async (note) => {
      prometheus = await findPrometheus(state.prometheus, watch.stop);
      note(prometheus?.source ?? "not available here, so there are no charts: install prometheus");
      return prometheus !== undefined;
    });
    this.#commands = { java, jar, prometheus };
  }

  /** Starts the programs in the background: `ready` waits for them. */
  start(): void {
    this.#starting = this.#startPrograms(this.#commands!);
    // `ready` throws it.
    this.#starting.catch(() => {});
  }

  async #startPrograms({ java, jar, prometheus }: ObservationCommands): Promise<void> {
    const { config, state, env } = this.#options;
    const programs = [zipkinProgram({ java, jar, port: config.ZIPKIN_PORT })];
    if (prometheus !== undefined) {
      const options = {
        folder: state.metrics,
        port: config.PROMETHEUS_PORT,
        targets: this.#targets(),
        tokenFile: operatorsTokenFile(env, state.secrets),
      };
      programs.push(prometheusProgram(prometheus, options));
    }
    await Promise.all(
      programs.map((program) => {
        const supervisor = new Supervisor(program, this.#options.watch);
        this.#running.push(supervisor);
        return supervisor.start();
      }),
    );
  }

  /** Resolves when Zipkin and Prometheus are ready. Throws a sentence when one of them does not start. */
  ready(): Promise<void> {
    return this.#starting;
  }

  /** Settings with which the services send their spans to Zipkin. */
  environment(): NodeJS.ProcessEnv {
    const { config, env } = this.#options;
    return {
      OTEL_TRACES_EXPORTER: "zipkin",
      OTEL_EXPORTER_ZIPKIN_ENDPOINT: `${zipkinOrigin(config.ZIPKIN_PORT)}/api/v2/spans`,
      // Somebody waits for the trace of a call.
      OTEL_BSP_SCHEDULE_DELAY: env["OTEL_BSP_SCHEDULE_DELAY"] || "1000",
    };
  }

  #targets(): { process: string; address: string }[] {
    const { config, operatorsPorts } = this.#options;
    const host = reachableHost(config.OPERATORS_HOST);
    return Object.entries(operatorsPorts).map(([process, port]) => ({ process, address: `${host}:${port}` }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((each) => each.stop()));
  }
}

/** The ports of what `--observe` starts. */
export const observePorts = (config: LauncherConfig): PortSetting[] =>
  (["ZIPKIN_PORT", "PROMETHEUS_PORT"] as const).map((setting) => ({
    setting,
    host: "127.0.0.1",
    port: config[setting],
  }));

type ObservationCommands = { java: string; jar: string; prometheus: PrometheusCommands | undefined };

type ObservationOptions = {
  config: LauncherConfig;
  state: StateFolder;
  /** The operator's environment. */
  env: NodeJS.ProcessEnv;
  operatorsPorts: Record<string, number>;
  watch: SupervisorOptions;
};
