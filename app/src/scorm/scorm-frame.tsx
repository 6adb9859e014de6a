import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import styles from "../../styles/later/scorm.css";
import { adoptStyles } from "../adopt-styles.ts";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { explainError } from "../query.tsx";
import { apiClient, draftStore } from "../service.ts";
import { t } from "../texts.ts";
import {
  createScormCommitSender,
  type ScormCommitSender,
  type UnsentScormData,
  type UnsentScormDataStore,
} from "./commit-sender.ts";
import type {
  AllowedNavigation,
  DeliveredItem,
  MessageFromPlayer,
  MessageToPlayer,
  PlayerStartData,
} from "./player-messages.ts";
import { ScormOutline } from "./scorm-outline.tsx";

/** Runtime data in this browser, until the service has it. */
export const createUnsentScormDataStore = (
  person: number,
  item: number,
  offering: number,
): UnsentScormDataStore => {
  const key = `scorm ${offering} ${item}`;
  return {
    read: () => draftStore.read(person, key)?.value as UnsentScormData | undefined,
    write: (pending) =>
      pending ? void draftStore.write(person, key, pending) : draftStore.remove(person, key),
  };
};

/** Browsers limit requests that outlive a page to 64 KiB. */
const mostAway = 60_000;

export const sendScormCommit = (body: UnsentScormData, isLeaving = false): Promise<unknown> =>
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

/** What the player of the previous item hands to the next one. */
export type CarriedSequencerState = { state: string; isFresh: boolean };

type FrameProps = {
  launch: Schemas["ScormLaunch"];
  title: string;
  store: UnsentScormDataStore;
  carried: CarriedSequencerState | undefined;
  /** The rules deliver another item. */
  onGo: (item: string, carried: CarriedSequencerState) => Promise<void>;
  /** The package finished, or the learner left it. */
  onFinished: () => void;
};

const nowhere: AllowedNavigation = { canContinue: false, canGoBack: false, choices: [] };

/** Plays a package, and saves what it stores. */
export function ScormPlayerFrame({ launch, title, store, carried, onGo, onFinished }: FrameProps) {
  adoptStyles(styles);
  const frame = useRef<HTMLIFrameElement>(null);
  const [fault, setFault] = useState<unknown>();
  const [isFinishing, setFinishing] = useState(false);
  const [navigation, setNavigation] = useState(nowhere);
  const [isIdle, setIdle] = useState(false);
  const isLeaving = useRef(false);
  const isEnded = useRef(false);
  const isRejected = useRef(false);
  const end = () => {
    if (isEnded.current) return;
    isEnded.current = true;
    onFinished();
  };
  const start = launch.start as PlayerStartData;
  const go = async ({ item, isFresh }: DeliveredItem, state: string) => {
    if (isEnded.current) return;
    await onGo(item, { state, isFresh }).catch(setFault);
  };
  const origin = new URL(launch.player_url).origin;
  const post = (message: MessageToPlayer) => frame.current?.contentWindow?.postMessage(message, origin);

  useEffect(() => {
    const { session } = launch;
    const sender: ScormCommitSender | undefined =
      session === null
        ? undefined
        : createScormCommitSender(session, { send: sendScormCommit, wait: waitForNetwork, store });
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
    const finished = async ({
      go: next,
      isOver,
      sequencing,
    }: Extract<MessageFromPlayer, { type: "finished" }>) => {
      if (!(await flush())) return;
      if (isLeaving.current || isOver || !sequencing) end();
      else if (next) await go(next, sequencing.state);
      else setIdle(true);
    };
    const receive = ({ source, origin: from, data }: MessageEvent<MessageFromPlayer>) => {
      if (source !== frame.current?.contentWindow || from !== origin) return;
      if (data.type === "ready") return post(startMessage(launch, carried));
      if (data.type === "navigation") return setNavigation(data.navigation);
      if (data.type === "moved") return void go(data.go, data.state);
      sender?.put(data.cmi, Math.round((performance.now() - began) / 1000), data.sequencing);
      if (data.type === "finished") void finished(data);
      else if (data.type === "data") timer ??= setTimeout(flush, saveAfterMs);
      else void flush();
    };
    const leave = () => {
      const pending = store.read();
      if (pending?.session === session) sendScormCommit(pending, true).catch(() => {});
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
    isLeaving.current = true;
    setFinishing(true);
    post({ type: "finish" });
    setTimeout(() => isRejected.current || end(), finishWithinMs);
  };

  return (
    <section class="scorm" aria-label={title}>
      {fault !== undefined && <Notice kind="error">{explainError(fault)}</Notice>}
      {launch.attempt_id === null && <Notice>{t("scorm.preview.about")}</Notice>}
      {start.sequencing && (
        <ScormOutline
          tree={start.sequencing.tree}
          current={launch.sco}
          choices={navigation.choices}
          completed={new Set(launch.scos.filter((sco) => sco.completed).map(({ id }) => id))}
          onChoose={(target) => post({ type: "navigate", request: "choice", target })}
        />
      )}
      {isIdle && <Notice>{t("scorm.choose")}</Notice>}
      <iframe
        ref={frame}
        class="scorm-frame"
        src={launch.player_url}
        title={title}
        sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-popups allow-downloads allow-presentation"
        allow="fullscreen; autoplay"
        allowFullScreen
      />
      <p class="row">
        {start.sequencing && (
          <>
            <ButtonWithFocusFallback
              disabled={!navigation.canGoBack}
              onClick={() => post({ type: "navigate", request: "previous" })}
            >
              {t("scorm.previous")}
            </ButtonWithFocusFallback>
            <ButtonWithFocusFallback
              disabled={!navigation.canContinue}
              onClick={() => post({ type: "navigate", request: "continue" })}
            >
              {t("scorm.next")}
            </ButtonWithFocusFallback>
          </>
        )}
        <ButtonWithFocusFallback onClick={finish} disabled={isFinishing && fault === undefined}>
          {t("scorm.finish")}
        </ButtonWithFocusFallback>
      </p>
    </section>
  );
}

/** The state of the previous player is newer than the launch's, or not stored in a preview. */
function startMessage(
  { start, sco }: Schemas["ScormLaunch"],
  carried: CarriedSequencerState | undefined,
): MessageToPlayer {
  const { sequencing, ...others } = start as PlayerStartData;
  const continued = sequencing && { sequencing: { ...sequencing, ...(carried && { state: carried.state }) } };
  return {
    type: "start",
    start: { ...others, ...continued },
    ...{ item: sco, isFresh: carried?.isFresh ?? false },
  };
}
