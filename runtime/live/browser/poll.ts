import type { LiveState } from "../state.ts";
import type { Link } from "../view/page.ts";

/**
 * Asks the process for its state every second, one question at a time, as long as the page can be seen.
 * Calls `onChange` with what is known and how old it is.
 */
export function pollState({ readToken, onChange }: PollOptions): Poll {
  let state: LiveState | undefined;
  let answeredAt = performance.now();
  let processId: string | undefined;
  let restartedAt = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;

  const show = (link: Link) => onChange(state, link);
  const silence = (): Link => {
    const silentMs = performance.now() - answeredAt;
    if (silentMs > goneMs) return { kind: "gone", silentMs };
    return silentMs > lateMs ? { kind: "late", silentMs } : { kind: "loading" };
  };

  const ask = async (): Promise<void> => {
    if (isAsking) return;
    clearTimeout(timer);
    isAsking = true;
    try {
      const token = readToken();
      const response = await fetch("live.json", {
        cache: "no-store",
        signal: AbortSignal.timeout(requestMs),
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
      if (response.status === 401) show({ kind: "refused" });
      else if (!response.ok) throw new Error(`status ${response.status}`);
      else {
        state = (await response.json()) as LiveState;
        answeredAt = performance.now();
        if (processId !== undefined && processId !== state.process) restartedAt = answeredAt;
        processId = state.process;
        show({ kind: "live", restarted: answeredAt - restartedAt < restartShownMs });
      }
    } catch {
      show(silence());
    } finally {
      isAsking = false;
    }
    if (!document.hidden) timer = setTimeout(() => void ask(), everyMs);
  };

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return void ask();
    clearTimeout(timer);
    show({ kind: "hidden" });
  });
  void ask();
  return { askNow: () => void ask() };
}

const everyMs = 1_000;
/** A process that needs longer for an answer of some kilobytes is stuck. */
const requestMs = 2_500;
const lateMs = 2_000;
const goneMs = 3_500;
const restartShownMs = 60_000;

type PollOptions = {
  readToken(): string | undefined;
  /** `state` is undefined before the first answer. */
  onChange(state: LiveState | undefined, link: Link): void;
};

type Poll = { askNow(): void };
