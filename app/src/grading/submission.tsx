import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { Notice } from "../components/notice.tsx";
import { NumberInput } from "../components/number-input.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import type { GradingRubric, RubricCriterion } from "../content/content-data.ts";
import { maxPointsOfLabOrAssignment } from "../content/max-points.ts";
import { validRubricCriteria } from "../content/rubric.tsx";
import { Avatar } from "../files/avatar.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { UploadedFileList } from "../files/uploaded-file.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import { formatDayAndTime, formatDeadlineOmittingDayEnd, formatToOneDecimal } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";
import { ChosenRubricLevels } from "../work/chosen-levels.tsx";
import { LatePenaltyNote } from "../work/lateness.tsx";
import { SubmittedWorkView } from "../work/submitted-work.tsx";
import { DoubleMarkingBadge, DoubleMarkingSection, nextMarkingStep } from "./double-marking.tsx";
import { NextUngradedSubmissionLink } from "./next-submission-link.tsx";
import { personNameInGrades } from "./person-name-in-grades.ts";
import { RubricLevelsField, readRubricLevelsField } from "./rubric-choice.tsx";
import { readSubmissionAuthor } from "./submission-author.ts";
import { isClaimedByGrader } from "./submissions.tsx";
import { LearnerSubmissionsForItem, TaskDescription } from "./task.tsx";

type Submission = Schemas["Submission"];
type RouteProps = { course: string; offering: string; submission: string };

/** A submission next to its grading form. A claim keeps two graders from grading it at the same time. */
export function SubmissionGradingScreen({ course, offering, submission: id }: RouteProps) {
  const path = { submission_id: Number(id) };
  const submission = useQuery(
    (signal) => dataOf(apiClient.getSubmission({ params: { path }, signal })),
    [id],
  );
  return (
    <>
      <BackLink route={["teaching", course, offering, "submissions"]}>{t("submissions")}</BackLink>
      <QueryBoundary of={submission}>
        {(found) => <Graded submission={found} query={submission} route={{ course, offering }} />}
      </QueryBoundary>
    </>
  );
}

type GradedProps = {
  submission: Submission;
  query: QueryHookResult<Submission>;
  route: { course: string; offering: string };
};

function Graded({ submission: one, query, route }: GradedProps) {
  const about = useQuery(
    async (signal) => {
      const [item, learner] = await Promise.all([
        dataOf(apiClient.getContent({ params: { path: { content_id: one.content_item_id } }, signal })),
        readSubmissionAuthor(one.user_id, signal),
      ]);
      return { item, learner };
    },
    [one.content_item_id, one.user_id],
  );
  return (
    <>
      <GradingHeading submission={one} about={about.value} route={route} />
      <div class="topic">
        <div class="stack">
          {about.value && <TaskDescription item={about.value.item} />}
          <article class="card" aria-label={t("submissions.work")}>
            <SubmittedWorkView submission={one} />
          </article>
          <LearnerSubmissionsForItem submission={one} route={route} />
        </div>
        <div class="side">
          <Claim submission={one} query={query} />
          {about.value && (
            <Judgement
              key={judged(one)}
              submission={one}
              criteria={validRubricCriteria(
                (about.value.item.data_json as { rubric?: GradingRubric }).rubric,
              )}
              most={one.max_score ?? maxPointsOfLabOrAssignment(about.value.item.data_json)}
              onChange={query.set}
            />
          )}
          <NextUngradedSubmissionLink submission={one} route={route} />
        </div>
      </div>
    </>
  );
}

/** A key that changes with the grade, which resets the form. */
const judged = ({ id, status, feedback_files, marks }: Submission): string =>
  [id, status, marks?.given, ...feedback_files.map((file) => file.id)].join(" ");

type HeadingProps = Pick<GradedProps, "submission" | "route"> & {
  about: { item: Schemas["ContentItem"]; learner: Schemas["UserWithMemberships"] | null } | undefined;
};

function GradingHeading({ submission: one, about, route }: HeadingProps) {
  return (
    <>
      <ScreenHeading title={about?.item.title ?? t("submissions.work")}>
        <span class="row">
          <span class={`badge ${one.status}`}>{t(`work.${one.status}`)}</span>
          {one.is_late && <span class="badge waiting">{t("work.late")}</span>}
          <DoubleMarkingBadge of={one} />
        </span>
      </ScreenHeading>
      <p class="quiet">
        {about?.learner ? (
          <>
            <Avatar url={about.learner.avatar_url} name={about.learner.full_name} />{" "}
            <a href={screenHref("teaching", route.course, route.offering, "learners", about.learner.id)}>
              {about.learner.full_name}
            </a>
          </>
        ) : (
          about && personNameInGrades({ ...one, full_name: null })
        )}
        {` · ${t("work.attempt", { n: one.attempt_number })} · ${formatDayAndTime(one.submitted_at)}`}
        {one.user_id === null && ` · ${t("anonymous")}`}
        {one.due_at && ` · ${t("due.on", { day: formatDeadlineOmittingDayEnd(one.due_at) })}`}
      </p>
    </>
  );
}

function Claim({ submission: one, query }: { submission: Submission; query: QueryHookResult<Submission> }) {
  const { profile } = useCurrentUser();
  const params = { path: { submission_id: one.id } };
  const isHeld = isClaimedByGrader(one);
  const isOwn = isHeld && one.claimed_by_user_id === profile.id;
  const claim = async () => query.set(await dataOf(apiClient.claimSubmission({ params })));
  const release = async () => {
    await dataOf(apiClient.releaseSubmission({ params }));
    query.again();
  };
  if (isHeld && !isOwn)
    return <Notice>{t("claim.other", { time: formatDayAndTime(one.claimed_until ?? "") })}</Notice>;
  return (
    <div class="row">
      {isOwn ? (
        <>
          <span class="badge active" role="status">
            {t("claim.own", { time: formatDayAndTime(one.claimed_until ?? "") })}
          </span>
          <ActionButton class="quiet" run={release}>
            {t("claim.release")}
          </ActionButton>
        </>
      ) : (
        <ActionButton run={claim}>{t("claim.take")}</ActionButton>
      )}
    </div>
  );
}

type JudgementProps = {
  submission: Submission;
  criteria: RubricCriterion[];
  /** The item's points, also before the first grade. */
  most: number;
  onChange: (submission: Submission) => void;
};

const submits = { grade: "judgement.grade", mark: "marks.give", agree: "marks.agree" } as const;

function Judgement({ submission: one, criteria, most, onChange }: JudgementProps) {
  const [returns, setReturns] = useState(false);
  const step = nextMarkingStep(one);
  const own = step === "mark" ? one.marks?.shown[0] : undefined;
  const [score, setScore] = useState(own?.score ?? one.score_obtained ?? undefined);
  const params = { path: { submission_id: one.id } };
  const files = useFormUploads({
    purpose: "FEEDBACK",
    scope: { submission_id: one.id },
    there: one.feedback_files,
  });
  async function send(fields: FormData) {
    const feedback = readTextField(fields, "feedback");
    // If unchanged, the existing files stay, regardless of who attached them.
    const feedback_file_ids = await files?.changedIds();
    const given = feedback_file_ids && { feedback_file_ids };
    if (returns) {
      onChange(await dataOf(apiClient.returnSubmission({ params, body: { feedback, ...given } })));
      return;
    }
    const score_obtained = readNumberFieldOrNull(fields, "score") ?? 0;
    const rubric = readRubricLevelsField(fields, criteria);
    const alone = fields.get("alone") === "on";
    const body = {
      score_obtained,
      alone,
      feedback: feedback || null,
      ...given,
      ...(rubric && { rubric }),
    };
    const judge = step === "agree" ? apiClient.agreeOnGrade : apiClient.gradeSubmission;
    onChange(await dataOf(judge({ params, body })));
  }
  return (
    <section class="card" aria-labelledby="judgement">
      <h2 id="judgement">{t("judgement")}</h2>
      {one.score_obtained !== null && (
        <p role="status">
          <strong>
            {t("quiz.result", {
              score: formatToOneDecimal(one.score_obtained),
              max: formatToOneDecimal(one.max_score),
            })}
          </strong>
          {one.graded_at && <span class="quiet"> {formatDayAndTime(one.graded_at)}</span>}
          <LatePenaltyNote of={one} />
        </p>
      )}
      <DoubleMarkingSection of={one} />
      {one.rubric && <ChosenRubricLevels levels={one.rubric} />}
      {one.instructor_feedback && <MarkdownWithFormulas source={one.instructor_feedback} byStaff />}
      <UploadedFileList files={one.feedback_files} label={t("work.feedback.files")} />
      {one.shared_with.length > 0 && (
        <p class="quiet">
          {one.graded_alone
            ? t("judgement.is.alone")
            : t("judgement.group", { names: one.shared_with.map(personNameInGrades).join(", ") })}
        </p>
      )}
      <Form
        send={send}
        submit={t(returns ? "judgement.return" : submits[step])}
        done={t("saved")}
        draft={`judgement of submission ${one.id}`}
      >
        <label class="check">
          <input
            type="checkbox"
            checked={returns}
            onChange={(event) => setReturns(event.currentTarget.checked)}
          />
          {t("judgement.returns")}
        </label>
        {!returns && (
          <>
            {one.shared_with.length > 0 && (
              <label class="check">
                <input type="checkbox" name="alone" defaultChecked={one.graded_alone} />
                {t("judgement.alone")}
              </label>
            )}
            <RubricLevelsField criteria={criteria} kept={own?.rubric ?? one.rubric} onWhole={setScore} />
            <Field name="score" label={t("judgement.points", { max: formatToOneDecimal(most) })}>
              <NumberInput
                class="narrow"
                min={0}
                max={most}
                step={0.01}
                value={score}
                onChange={setScore}
                required
              />
            </Field>
          </>
        )}
        <Field name="feedback" label={t("work.feedback")}>
          <textarea
            rows={5}
            maxLength={20_000}
            defaultValue={own?.feedback ?? one.instructor_feedback ?? ""}
            required={returns}
          />
        </Field>
        {files && (returns || step !== "mark") && (
          <FileUploadPicker label={t("work.feedback.files")} of={files} takesPasted />
        )}
      </Form>
    </section>
  );
}
