import { dataOf, type Schemas } from "learning-platform-client";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Form } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { OfferingTabLayout } from "../components/offering-tab-layout.tsx";
import type { LearnerOrTeacherView } from "../components/offering-tabs.tsx";
import { PagedList, usePagedQuery } from "../components/paged.tsx";
import { SearchForm } from "../components/search-form.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import { formatDayAndTime } from "../format.ts";
import { GroupFilter } from "../groups/group-choice.tsx";
import { TextInContentLanguage } from "../markup/text-in-content-language.tsx";
import { useRestoredScroll } from "../outline/restored-scroll.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { useOutline } from "../use-outline.tsx";
import { readTitleAndTextFields, TitleAndTextFields } from "./title-and-text.tsx";

type RouteProps = { course: string; offering: string };

export const LearnerDiscussionsScreen = (route: RouteProps) => <Discussions {...route} side="courses" />;
export const StaffDiscussionsScreen = (route: RouteProps) => <Discussions {...route} side="teaching" />;

/** Threads of an offering: pinned ones first, then by latest post. */
function Discussions({ course, offering, side }: RouteProps & { side: LearnerOrTeacherView }) {
  const [q, search] = useState("");
  const [isUnanswered, setUnanswered] = useState(false);
  const path = { offering_id: Number(offering) };
  const [group, narrow] = useState("");
  const [module, choose] = useState("");
  const filter = {
    ...(q && { q }),
    ...(isUnanswered && { unanswered: "true" as const }),
    ...(group && { group_id: Number(group) }),
    ...(module && { module_id: Number(module) }),
  };
  const arrival = useRef({ isHere: false });
  const isNarrowed = Object.keys(filter).length > 0;
  const threads = usePagedQuery(
    (part, signal) =>
      dataOf(apiClient.listDiscussionThreads({ params: { path, query: { ...part, ...filter } }, signal })),
    [offering, filter],
  );
  return (
    <OfferingTabLayout
      course={course}
      offering={offering}
      side={side}
      part="discussions"
      title={t("discussions")}
    >
      <NewThread
        offering={Number(offering)}
        onAsked={(id) => {
          location.hash = screenHref(side, course, offering, "discussions", id);
        }}
      />
      <SearchForm label={t("discussions.search")} onSearch={search}>
        <label class="check">
          <input
            type="checkbox"
            checked={isUnanswered}
            onChange={(event) => setUnanswered(event.currentTarget.checked)}
          />
          {t("discussions.unanswered")}
        </label>
        {side === "teaching" && <GroupFilter offering={offering} value={group} onChoose={narrow} />}
        <ModuleChoice course={course} offering={offering} value={module} onChoose={choose} />
      </SearchForm>
      <PagedList of={threads} empty={t(isNarrowed ? "discussions.none" : "discussions.empty")}>
        {(found) => <ThreadLines threads={found} place={[side, course, offering]} arrival={arrival} />}
      </PagedList>
    </OfferingTabLayout>
  );
}

type ThreadLinesProps = {
  threads: Schemas["DiscussionThread"][];
  place: [side: LearnerOrTeacherView, course: string, offering: string];
  /** Filtering remounts the list. Only the first mount scrolls to the thread that the user came from. */
  arrival: RefObject<{ isHere: boolean }>;
};

function ThreadLines({ threads, place, arrival }: ThreadLinesProps) {
  const list = useRef<HTMLUListElement>(null);
  useRestoredScroll(list, undefined, arrival.current?.isHere);
  useEffect(() => {
    arrival.current = { isHere: true };
  }, []);
  return (
    <ul class="lines" ref={list}>
      {threads.map((one) => (
        <ThreadLine key={one.id} thread={one} href={screenHref(...place, "discussions", one.id)} />
      ))}
    </ul>
  );
}

type ModuleChoiceProps = RouteProps & { value: string; onChoose: (module: string) => void };

/** Filters by module. Hidden if there are fewer than two. */
function ModuleChoice({ course, offering, value, onChoose }: ModuleChoiceProps) {
  const outline = useOutline(course, offering);
  const modules = outline.value?.modules ?? [];
  if (modules.length < 2) return null;
  const options: [string, string][] = modules.map(({ id, title }) => [String(id), title]);
  return (
    <LabeledSelect
      label={t("discussions.module")}
      value={value}
      options={[["", t("discussions.module.any")], ...options]}
      onChoose={onChoose}
    />
  );
}

function ThreadLine({ thread, href }: { thread: Schemas["DiscussionThread"]; href: string }) {
  return (
    <li data-item={thread.id}>
      <span>
        <a href={href}>
          {thread.title === null ? (
            t("thread.untitled")
          ) : (
            <TextInContentLanguage lang={thread.language_code}>{thread.title}</TextInContentLanguage>
          )}
        </a>{" "}
        <small>{t("thread.by", { name: thread.created_by_name ?? t("someone") })}</small>
      </span>
      <span class="row">
        <ThreadStateBadges thread={thread} />
        <small>
          {t("thread.posts", { n: thread.post_count })} · {formatDayAndTime(thread.last_post_at)}
        </small>
      </span>
    </li>
  );
}

export function ThreadStateBadges({ thread }: { thread: Schemas["DiscussionThread"] }) {
  return (
    <>
      {thread.visible === "STAFF" && (
        <span class="badge">
          {thread.learner_name ? t("thread.alone", { name: thread.learner_name }) : t("thread.STAFF")}
        </span>
      )}
      {thread.is_pinned && <span class="badge">{t("thread.pinned")}</span>}
      {thread.is_locked && <span class="badge dropped">{t("thread.locked")}</span>}
      {thread.answer_post_id !== null && <span class="badge completed">{t("thread.answered")}</span>}
    </>
  );
}

function NewThread({ offering, onAsked }: { offering: number; onAsked: (id: number) => void }) {
  const files = useFormUploads({ purpose: "POST", scope: { course_offering_id: offering } });
  async function send(fields: FormData) {
    const params = { path: { offering_id: offering } };
    const body = { ...readTitleAndTextFields(fields), file_ids: (await files?.ids()) ?? [] };
    onAsked((await dataOf(apiClient.createDiscussionThread({ params, body }))).id);
  }
  return (
    <details class="card">
      <summary>{t("thread.new")}</summary>
      <Form send={send} submit={t("thread.send")} draft={`thread in ${offering}`}>
        <TitleAndTextFields maxLength={8000} />
        {files && <FileUploadPicker label={t("post.files")} of={files} takesPasted />}
      </Form>
    </details>
  );
}
