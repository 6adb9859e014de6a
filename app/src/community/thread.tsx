import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { Notice } from "../components/notice.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import type { LearnerOrTeacherView } from "../components/offering-tabs.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import { ContentLanguageContext } from "../markup/content-language.ts";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { DiscussionPostWithActions } from "./post.tsx";
import { ThreadStateBadges } from "./threads.tsx";
import { TutorConversationExcerpt } from "./tutor-conversation-excerpt.tsx";

type Thread = Schemas["DiscussionThreadWithHandover"];
type RouteProps = { course?: string; offering?: string; thread: string };

export const LearnerThreadScreen = (route: RouteProps) => <Discussion {...route} side="courses" />;
export const StaffThreadScreen = (route: RouteProps) => <Discussion {...route} side="teaching" />;

const pageSize = 100;

/** A thread: each post below the one it replies to. */
function Discussion({ course, offering, thread: id, side }: RouteProps & { side: LearnerOrTeacherView }) {
  const path = { thread_id: Number(id) };
  const [limit, setLimit] = useState(pageSize);
  const thread = useQuery(
    (signal) => dataOf(apiClient.getDiscussionThread({ params: { path }, signal })),
    [id],
  );
  const posts = useQuery((signal) => readPosts(path, limit, signal), [id], limit);
  const again = () => {
    thread.again();
    posts.again();
  };
  return (
    <>
      {course && offering && (
        <BackLink route={[side, course, offering, "discussions"]} from={id}>
          {t("discussions")}
        </BackLink>
      )}
      <QueryBoundary of={thread}>
        {(found) => (
          <ContentLanguageContext.Provider value={found.language_code ?? undefined}>
            <ScreenHeading
              title={found.title ?? t("thread.untitled")}
              lang={(found.title !== null && found.language_code) || undefined}
            >
              <span class="row">
                <ThreadStateBadges thread={found} />
              </span>
            </ScreenHeading>
            {found.handover && (
              <TutorConversationExcerpt of={found.handover} course={course} offering={offering} side={side} />
            )}
            {side === "teaching" && <Steering thread={found} query={thread} />}
            <QueryBoundary of={posts}>
              {(page) => (
                <>
                  <ol class="posts">
                    {inOrder(page.posts).map((post) => (
                      <li key={post.id} class={`depth-${Math.min(post.depth, 4)}`}>
                        <DiscussionPostWithActions
                          post={post}
                          thread={found}
                          isTeaching={side === "teaching"}
                          onChange={again}
                        />
                      </li>
                    ))}
                  </ol>
                  <PagingButtonRow of={page} adds>
                    {page.has_more && (
                      <ButtonWithFocusFallback onClick={() => setLimit(limit + pageSize)}>
                        {t("more")}
                      </ButtonWithFocusFallback>
                    )}
                  </PagingButtonRow>
                </>
              )}
            </QueryBoundary>
            {found.is_locked ? (
              <Notice>{t("thread.is.locked")}</Notice>
            ) : (
              <Reply thread={found} onReplied={again} />
            )}
          </ContentLanguageContext.Provider>
        )}
      </QueryBoundary>
    </>
  );
}

async function readPosts(
  path: { thread_id: number },
  limit: number,
  signal: AbortSignal,
): Promise<Schemas["DiscussionPostPage"]> {
  const posts: Schemas["DiscussionPost"][] = [];
  let has_more = true;
  while (has_more && posts.length < limit) {
    const after = posts.at(-1)?.id;
    const query = { limit: pageSize, ...(after && { after }) };
    const page = await dataOf(apiClient.listDiscussionPosts({ params: { path, query }, signal }));
    posts.push(...page.posts);
    has_more = page.has_more;
  }
  return { posts, has_more };
}

/** Replies below their parent. A reply whose parent is hidden stays in chronological order. */
function inOrder(posts: Schemas["DiscussionPost"][]): Schemas["DiscussionPost"][] {
  const shown = new Set(posts.map(({ id }) => id));
  const below = Map.groupBy(posts, ({ parent_post_id: parent }) =>
    parent && shown.has(parent) ? parent : 0,
  );
  const from = (parent: number): Schemas["DiscussionPost"][] =>
    (below.get(parent) ?? []).flatMap((post) => [post, ...from(post.id)]);
  return from(0);
}

function Steering({ thread, query }: { thread: Thread; query: QueryHookResult<Thread> }) {
  const change = (body: Schemas["DiscussionThreadUpdate"]) => async () =>
    query.set({
      ...thread,
      ...(await dataOf(
        apiClient.updateDiscussionThread({ params: { path: { thread_id: thread.id } }, body }),
      )),
    });
  return (
    <div class="row">
      <ActionButton run={change({ is_pinned: !thread.is_pinned })} pressed={thread.is_pinned}>
        {t("thread.pin")}
      </ActionButton>
      <ActionButton run={change({ is_locked: !thread.is_locked })} pressed={thread.is_locked}>
        {t("thread.lock")}
      </ActionButton>
    </div>
  );
}

function Reply({ thread, onReplied }: { thread: Thread; onReplied: () => void }) {
  const files = useFormUploads({ purpose: "POST", scope: { course_offering_id: thread.course_offering_id } });
  async function send(fields: FormData) {
    const params = { path: { thread_id: thread.id } };
    const body = { body: readTextField(fields, "body"), file_ids: (await files?.ids()) ?? [] };
    await dataOf(apiClient.createDiscussionPost({ params, body }));
    onReplied();
  }
  return (
    <div class="card">
      <Form
        send={send}
        submit={t("post.send")}
        done={t("post.sent")}
        draft={`post in thread ${thread.id}`}
        clears
      >
        <Field name="body" label={t("post.write")}>
          <textarea rows={4} maxLength={8000} required />
        </Field>
        {files && <FileUploadPicker label={t("post.files")} of={files} takesPasted />}
      </Form>
    </div>
  );
}
