import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import type { OutlineItemWithOnChange } from "../content/item-progress.ts";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { sendCommitOfEarlierSession } from "./commit-sender.ts";
import type { PlayerStartData } from "./player-messages.ts";
import {
  type CarriedSequencerState,
  createUnsentScormDataStore,
  ScormPlayerFrame,
  sendScormCommit,
} from "./scorm-frame.tsx";
import { describeScormResult } from "./scorm-result.ts";

type Attempt = Schemas["MyScormAttempt"];
type LaunchOptions = Partial<Schemas["ScormLaunchCreate"]>;
/** A launch; the number tells players of the same item apart. */
type Opened = { launch: Schemas["ScormLaunch"]; carried: CarriedSequencerState | undefined; number: number };
type ViewProps = {
  item: Schemas["ContentItem"];
  offeringId: number;
  /** Absent without a seat: staff then see a preview. */
  progress: OutlineItemWithOnChange | undefined;
};

/** A SCORM package for its learner, with earlier attempts. */
export function ScormLaunchAndAttempts({ item, offeringId, progress }: ViewProps) {
  const { profile } = useCurrentUser();
  const [opened, setOpened] = useState<Opened>();
  const path = { offering_id: offeringId, scorm_item_id: item.id };
  const query = { course_offering_id: offeringId, content_item_id: item.id };
  const attempts = useQuery(
    (signal) => dataOf(apiClient.listMyScormAttempts({ params: { query }, signal })),
    [item.id, offeringId],
  );
  const store = createUnsentScormDataStore(profile.id, item.id, offeringId);
  const start = async (options: LaunchOptions, carried?: CarriedSequencerState) => {
    await sendCommitOfEarlierSession({ send: sendScormCommit, store });
    const body = { new_attempt: false, ...options };
    const launch = await dataOf(apiClient.launchScorm({ params: { path }, body }));
    setOpened((former) => ({ launch, carried, number: (former?.number ?? 0) + 1 }));
  };
  const end = () => {
    setOpened(undefined);
    attempts.again();
    progress?.onChange();
  };
  if (opened)
    return (
      <>
        <ScoList launch={opened.launch} onChoose={(sco) => start({ sco })} />
        <ScormPlayerFrame
          key={opened.number}
          launch={opened.launch}
          carried={opened.carried}
          title={item.title}
          store={store}
          onGo={(sco, carried) => start({ sco }, carried)}
          onFinished={end}
        />
      </>
    );
  return (
    <QueryBoundary of={attempts}>
      {(found) => (
        <>
          <StartButtons attempts={found} data={item.data_json} onStart={start} />
          <AttemptList attempts={found} />
        </>
      )}
    </QueryBoundary>
  );
}

type StartProps = {
  attempts: Attempt[];
  data: Schemas["ContentItem"]["data_json"];
  onStart: (body: LaunchOptions) => Promise<void>;
};

function StartButtons({ attempts, data, onStart }: StartProps) {
  const [newest] = attempts;
  const most = data["max_attempts"];
  const hasMore = typeof most !== "number" || attempts.length < most;
  return (
    <p class="row">
      <ActionButton class="primary" run={() => onStart({})}>
        {t(newest ? "quiz.continue" : "quiz.start")}
      </ActionButton>
      {newest?.completed_at && hasMore && (
        <ActionButton run={() => onStart({ new_attempt: true })}>{t("scorm.again")}</ActionButton>
      )}
    </p>
  );
}

type ScoListProps = { launch: Schemas["ScormLaunch"]; onChoose: (sco: string) => Promise<void> };

/** The package's items, if it has several and no sequencing. */
function ScoList({ launch, onChoose }: ScoListProps) {
  if (launch.scos.length < 2 || (launch.start as PlayerStartData).sequencing) return null;
  return (
    <nav aria-label={t("scorm.items")}>
      <ol class="lines">
        {launch.scos.map(({ id, title, completed }) => (
          <li key={id}>
            <ActionButton
              class="quiet"
              pressed={id === launch.sco}
              disabled={id === launch.sco}
              run={() => onChoose(id)}
            >
              {title}
            </ActionButton>
            {completed && <span class="badge completed">{t("done")}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function AttemptList({ attempts }: { attempts: Attempt[] }) {
  if (attempts.length === 0) return null;
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">{t("quiz.attempts")}</h2>
      <ul class="lines">
        {attempts.map((one) => (
          <li key={one.id}>
            <span>
              {one.attempt_number}. {formatDayAndTime(one.committed_at ?? one.started_at)}
            </span>
            <span>{describeScormResult(one)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
