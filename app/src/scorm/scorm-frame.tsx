import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import styles from "../../styles/later/scorm.css";
import { adoptStyles } from "../adopt-styles.ts";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { explainError } from "../query.tsx";
import { apiClient, draftStore } from "../service.ts";
import { t } from "../texts.ts";
import {
  type CommitSender,
  createCommitSender,
  type PendingCommit,
  type PendingCommitStore,
} from "./commit-sender.ts";
import type { FromPlayer, PlayerStart, ToPlayer } from "./player-messages.ts";

/** Runtime data in this browser, until the service has it. */
export const pendingCommits = (person: number, item: number, offering: number): PendingCommitStore => {
  const key = `scorm ${offering} ${item}`;
  return {
    read: () => draftStore.read(person, key)?.value as PendingCommit | undefined,
    write: (pending) =>
      pending ? void draftStore.write(person, key, pending) : draftStore.remove(person, key),
  };
};

/** Browsers limit requests that outlive a page to 64 KiB. */
const mostAway = 60_000;

export const sendCommit = (body: PendingCommit, isLeaving = false): Promise<unknown> =>
  dataOf(
    apiClient.commitScorm({
      body,
      ...(isLeaving && JSON.stringify(body).length < mostAway && { keepalive: true }),
    }),
  );

/** Resolves after the time, or once the browser is online again. */
const waitForNetwork = (ms: number): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    window.addEventListener("online", resolve, { once: true });
  });

/** The SCO's own commits are sent immediately, other changes after this time. */
const saveAfterMs = 10_000;

/** The learner waits no longer than this for a package that does not finish. */
const finishWithinMs = 3000;

type FrameProps = {
  launch: Schemas["ScormLaunch"];
  title: string;
  store: PendingCommitStore;
  /** The package finished, or the learner left it. */
  onFinished: () => void;
};

/** Plays a package, and saves what it stores. */
export function ScormFrame({ launch, title, store, onFinished }: FrameProps) {
  adoptStyles(styles);
  const frame = useRef<HTMLIFrameElement>(null);
  const [fault, setFault] = useState<unknown>();
  const [isFinishing, setFinishing] = useState(false);
  const isEnded = useRef(false);
  const isRejected = useRef(false);
  const end = () => {
    if (isEnded.current) return;
    isEnded.current = true;
    onFinished();
  };
  const origin = new URL(launch.player_url).origin;
  const post = (message: ToPlayer) => frame.current?.contentWindow?.postMessage(message, origin);

  useEffect(() => {
    const { session } = launch;
    const sender: CommitSender | undefined =
      session === null
        ? undefined
        : createCommitSender(session, { send: sendCommit, wait: waitForNetwork, store });
    const began = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = async (): Promise<boolean> => {
      clearTimeout(timer);
      timer = undefined;
      try {
        await sender?.flush();
        return true;
      } catch (error) {
        isRejected.current = true;
        setFault(error);
        return false;
      }
    };
    const receive = ({ source, origin: from, data }: MessageEvent<FromPlayer>) => {
      if (source !== frame.current?.contentWindow || from !== origin) return;
      if (data.type === "ready") return post({ type: "start", start: launch.start as PlayerStart });
      sender?.put(data.cmi, Math.round((performance.now() - began) / 1000));
      if (data.type === "data") timer ??= setTimeout(flush, saveAfterMs);
      else if (data.type === "commit") void flush();
      else void flush().then((isSaved) => isSaved && end());
    };
    const leave = () => {
      const pending = store.read();
      if (pending?.session === session) sendCommit(pending, true).catch(() => {});
    };
    window.addEventListener("message", receive);
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("message", receive);
      window.removeEventListener("pagehide", leave);
      isEnded.current = true;
      void flush();
    };
  }, [launch]);

  const finish = () => {
    // The service rejected the data: the learner has read why.
    if (fault !== undefined) return end();
    setFinishing(true);
    post({ type: "finish" });
    setTimeout(() => isRejected.current || end(), finishWithinMs);
  };

  return (
    <section class="scorm" aria-label={title}>
      {fault !== undefined && <Notice kind="error">{explainError(fault)}</Notice>}
      {launch.attempt_id === null && <Notice>{t("scorm.preview.about")}</Notice>}
      <iframe
        ref={frame}
        class="scorm-frame"
        src={launch.player_url}
        title={title}
        sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads allow-presentation"
        allow="fullscreen; autoplay"
        allowFullScreen
      />
      <Button onClick={finish} disabled={isFinishing && fault === undefined}>
        {t("scorm.finish")}
      </Button>
    </section>
  );
}
