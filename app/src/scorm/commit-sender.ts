import { PlatformError } from "learning-platform-client";
import { retryDelayMs } from "../content/answer-autosaver.ts";
import type { SequencingReport } from "./player-messages.ts";

/** Runtime data that the service does not have yet. Each commit contains all of it. */
export type UnsentScormData = {
  session: string;
  sequence: number;
  cmi: Record<string, unknown>;
  seconds: number;
  sequencing?: SequencingReport;
};

export type UnsentScormDataStore = {
  read(): UnsentScormData | undefined;
  write(pending: UnsentScormData | undefined): void;
};

type SenderDeps = {
  send(commit: UnsentScormData): Promise<unknown>;
  /** Resolves after this many milliseconds, or when the network is back. */
  wait(ms: number): Promise<unknown>;
  store: UnsentScormDataStore;
};

export type ScormCommitSender = {
  /** Keeps the data until it is sent. */
  put(cmi: UnsentScormData["cmi"], seconds: number, sequencing?: SequencingReport): void;
  /** Sends what is unsent, and retries until the service accepts or rejects it. Throws its rejection. */
  flush(): Promise<void>;
};

/** Sends the runtime data of one session. */
export function createScormCommitSender(
  session: string,
  { send, wait, store }: SenderDeps,
): ScormCommitSender {
  let sequence = 0;
  let running: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    for (let failures = 0; ; ) {
      const pending = store.read();
      if (pending?.session !== session) return;
      try {
        await send(pending);
        failures = 0;
        dropIfSent(store, pending);
      } catch (error) {
        if (isRejected(error)) {
          store.write(undefined);
          throw error;
        }
        await wait(retryDelayMs(++failures, error));
      }
    }
  };

  return {
    put(cmi, seconds, sequencing) {
      sequence++;
      store.write({ session, sequence, cmi, seconds, ...(sequencing && { sequencing }) });
    },
    flush() {
      running ??= flush().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Sends what an earlier session left in this browser. Throws if the service cannot be reached. */
export async function sendCommitOfEarlierSession({ send, store }: Omit<SenderDeps, "wait">): Promise<void> {
  const left = store.read();
  if (!left) return;
  try {
    await send(left);
  } catch (error) {
    if (!isRejected(error)) throw error;
  }
  dropIfSent(store, left);
}

/** Newer data may have come meanwhile. */
function dropIfSent(store: UnsentScormDataStore, sent: UnsentScormData): void {
  const { session, sequence } = store.read() ?? {};
  if (session === sent.session && sequence === sent.sequence) store.write(undefined);
}

/** A retry would get the same answer: the session is over, or another one owns the attempt. */
const isRejected = (error: unknown): boolean =>
  error instanceof PlatformError && error.status < 500 && ![401, 408, 425, 429].includes(error.status);
