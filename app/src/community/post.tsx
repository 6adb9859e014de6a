import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { focusOnMountRef } from "../components/focus-at-once.ts";
import { Form, readTextField } from "../components/form.tsx";
import { Avatar } from "../files/avatar.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { UploadedFileList } from "../files/uploaded-file.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import { formatDayAndTime } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { apiClient } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import { type TextKey, t } from "../texts.ts";

type PostProps = {
  post: Schemas["DiscussionPost"];
  thread: Schemas["DiscussionThread"];
  isTeaching: boolean;
  onChange: () => void;
};

type Writing = "reply" | "edit" | "report";

export function DiscussionPostWithActions({ post, thread, isTeaching, onChange }: PostProps) {
  const [writing, setWriting] = useState<Writing>();
  const [isReported, setReported] = useState(false);
  const isAnswer = thread.answer_post_id === post.id;
  const heading = `post-${post.id}`;
  const finish = () => {
    if (writing === "report") setReported(true);
    setWriting(undefined);
    onChange();
  };
  return (
    <article class={isAnswer ? "card post is-answer" : "card post"} aria-labelledby={heading}>
      <div class="line-head" id={heading}>
        <span class="named">
          <Avatar url={post.user_avatar_url} name={post.user_name ?? ""} />
          <strong>{post.user_name ?? t("someone")}</strong>
        </span>
        <span class="quiet">{formatDayAndTime(post.created_at)}</span>
        {isAnswer && <span class="badge completed">{t("post.is.answer")}</span>}
        {post.is_hidden && <span class="badge dropped">{t("post.hidden")}</span>}
      </div>
      {post.body === null ? (
        <p class="quiet">{t(post.is_hidden ? "post.was.hidden" : "post.deleted")}</p>
      ) : (
        <>
          <MarkdownWithFormulas source={post.body} inLines />
          <UploadedFileList files={post.files} label={t("post.files")} />
        </>
      )}
      {isReported && (
        <p role="status" class="quiet">
          {t("post.reported")}
        </p>
      )}
      {writing ? (
        <About
          kind={writing}
          post={post}
          thread={thread}
          onDone={finish}
          onCancel={() => setWriting(undefined)}
        />
      ) : (
        !post.is_deleted && <PostTools {...{ post, thread, isTeaching, onChange }} onWrite={setWriting} />
      )}
    </article>
  );
}

type ToolsProps = PostProps & { onWrite: (kind: Writing) => void };

function PostTools({ post, thread, isTeaching, onChange, onWrite }: ToolsProps) {
  const { profile } = useCurrentUser();
  const isOwn = post.user_id === profile.id;
  const params = { path: { post_id: post.id } };
  const chosen = thread.answer_post_id === post.id;
  const then = (run: () => Promise<unknown>) => async () => {
    await run();
    onChange();
  };
  const remove = then(
    async () => confirm(t("post.delete.sure")) && dataOf(apiClient.deleteDiscussionPost({ params })),
  );
  const hide = then(() =>
    dataOf(apiClient.moderateDiscussionPost({ params, body: { is_hidden: !post.is_hidden } })),
  );
  const choose = then(() =>
    dataOf(
      apiClient.updateDiscussionThread({
        params: { path: { thread_id: thread.id } },
        body: { answer_post_id: chosen ? null : post.id },
      }),
    ),
  );
  const write = (kind: Writing, label: TextKey) => (
    <ButtonWithFocusFallback class="quiet" onClick={() => onWrite(kind)}>
      {t(label)}
    </ButtonWithFocusFallback>
  );
  return (
    <div class="row tools">
      {!thread.is_locked && write("reply", "post.reply")}
      {isOwn && !thread.is_locked && write("edit", "edit")}
      {isOwn && (
        <ActionButton class="quiet" run={remove}>
          {t("delete")}
        </ActionButton>
      )}
      {!isOwn && write("report", "post.report")}
      {(isTeaching || thread.created_by_user_id === profile.id) && (
        <ActionButton class="quiet" run={choose} pressed={chosen}>
          {t("post.choose.answer")}
        </ActionButton>
      )}
      {isTeaching && (
        <ActionButton class="quiet" run={hide} pressed={post.is_hidden}>
          {t("post.hide")}
        </ActionButton>
      )}
    </div>
  );
}

type AboutProps = {
  kind: Writing;
  post: Schemas["DiscussionPost"];
  thread: Schemas["DiscussionThread"];
  onDone: () => void;
  onCancel: () => void;
};

const labels: Record<Writing, TextKey> = { reply: "post.reply", edit: "edit", report: "post.report" };
/** API field names, so validation errors appear at the field. */
const names: Record<Writing, string> = { reply: "body", edit: "body", report: "reason" };
const fields: Record<Writing, TextKey> = { reply: "post.write", edit: "text", report: "post.report.why" };

function About({ kind, post, thread, onDone, onCancel }: AboutProps) {
  const files = useFormUploads({
    purpose: "POST",
    scope: { course_offering_id: thread.course_offering_id },
    ...(kind === "edit" && { there: post.files }),
  });
  async function send(form: FormData) {
    const words = readTextField(form, names[kind]);
    const params = { path: { post_id: post.id } };
    if (kind === "reply")
      await dataOf(
        apiClient.createDiscussionPost({
          params: { path: { thread_id: post.thread_id } },
          body: { body: words, parent_post_id: post.id, file_ids: (await files?.ids()) ?? [] },
        }),
      );
    else if (kind === "edit") {
      const file_ids = await files?.changedIds();
      await dataOf(
        apiClient.updateDiscussionPost({ params, body: { body: words, ...(file_ids && { file_ids }) } }),
      );
    } else await dataOf(apiClient.reportDiscussionPost({ params, body: { reason: words } }));
    onDone();
  }
  return (
    <Form send={send} submit={t(labels[kind])} draft={`${kind} of post ${post.id}`} onCancel={onCancel}>
      <Field name={names[kind]} label={t(fields[kind])}>
        <textarea
          rows={3}
          maxLength={kind === "report" ? 2000 : 8000}
          defaultValue={kind === "edit" ? (post.body ?? "") : ""}
          required
          ref={focusOnMountRef}
        />
      </Field>
      {files && kind !== "report" && <FileUploadPicker label={t("post.files")} of={files} takesPasted />}
    </Form>
  );
}
