import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import styles from "../../styles/later/item.css";
import { adoptStyles } from "../adopt-styles.ts";
import { ActionButton } from "../components/action.tsx";
import { pickChangedFields } from "../components/changed-fields.ts";
import { contentTypeLabel } from "../components/content-type-label.ts";
import { Form } from "../components/form.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { useDebouncedValue } from "../components/use-debounced.ts";
import { ContentDataView } from "../content/content-body.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { navigateAwayFromDeleted } from "../router.ts";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { useMayEditCourse } from "../use-may-edit-course.ts";
import { BrokenAnonymityNotice } from "./anonymity.tsx";
import { HiddenContentDraftField } from "./data-draft-field.tsx";
import { ContentDataEditor } from "./data-editor.tsx";
import { ItemSettingsFields, ItemTitleField, readItemFields } from "./item-fields.tsx";
import { WholeContentJsonEditor } from "./json-field.tsx";
import { EditOrViewTutorNotes } from "./notes-for-tutor.tsx";
import { doesEditChangePoints } from "./points.ts";
import { PublishedOrDraftBadge } from "./publish-toggle.tsx";
import { RescaleScoresField, readRescaleScoresField } from "./rescale-field.tsx";
import { type ContentChosenAtTool, ToolContentChooser } from "./tool-content.tsx";
import { VideoSettingsFields } from "./video-fields.tsx";

adoptStyles(styles);

type Item = Schemas["ContentItem"];

/** The editor of a content item, with a preview. */
export function ItemEditorScreen({ course, item }: { course: string; item: string }) {
  const query = useQuery(
    (signal) => dataOf(apiClient.getContent({ params: { path: { content_id: Number(item) } }, signal })),
    [item],
  );
  return (
    <>
      <BackLink route={["authoring", course]}>{t("back.to.course")}</BackLink>
      <QueryBoundary of={query}>{(found) => <ItemEditor item={found} query={query} />}</QueryBoundary>
    </>
  );
}

function ItemEditor({ item, query }: { item: Item; query: QueryHookResult<Item> }) {
  const [data, setData] = useState(item.data_json);
  /** Renders the form again with the values of content that was chosen at a tool. */
  const [chosen, setChosen] = useState(0);
  const shown = useDebouncedValue(data);
  const kind = item.content_type.name;
  const params = { path: { content_id: item.id } };
  const write = async (body: Schemas["ContentItemUpdate"], { version } = item) =>
    query.set(
      await dataOf(apiClient.updateContent({ params: { ...params, header: ifMatch(version) }, body })),
    );
  const save = (fields: FormData, present?: Item) => {
    const changes = pickChangedFields({ ...readItemFields(fields, item), data_json: data }, item);
    return write({ ...changes, ...readRescaleScoresField(fields) }, present);
  };
  const publish = () => write({ is_active: !item.is_active });
  const show = (present: Item) => {
    setData(present.data_json);
    query.set(present);
  };
  const remove = async () => {
    if (!confirm(t("item.delete.sure", { title: item.title }))) return;
    await dataOf(apiClient.deleteContent({ params: { ...params, header: ifMatch(item.version) } }));
    navigateAwayFromDeleted("authoring", item.course_id);
  };
  const choose = async ([first, ...more]: ContentChosenAtTool[]) => {
    if (!first) return;
    for (const one of more) {
      const { module_id, course_id, content_type_id } = item;
      const body = { ...one, module_id, course_id, content_type_id, is_active: false };
      await dataOf(apiClient.createContent({ body }));
    }
    await write(first);
    setData(first.data_json);
    setChosen(chosen + 1);
  };
  const tool = Number(data["lti_tool_id"]);
  const edited = { university: item.university_id, course: item.course_id, data, onChange: setData };
  const mayWrite = useMayEditCourse(String(item.course_id));
  const isKnown = contentTypeLabel(kind) !== kind;
  return (
    <>
      <p class="eyebrow">
        {isKnown ? contentTypeLabel(kind) : item.content_type.label}{" "}
        <PublishedOrDraftBadge isOpen={item.is_active} />
      </p>
      <ScreenHeading title={item.title}>
        <span class="row">
          <ActionButton class={item.is_active ? "" : "primary"} run={publish}>
            {t(item.is_active ? "withdraw" : "publish")}
          </ActionButton>
          <a href={screenHref("authoring", item.course_id, "preview", item.id)}>{t("preview")}</a>
          <ActionButton class="quiet" run={remove}>
            {t("delete")}
          </ActionButton>
        </span>
      </ScreenHeading>
      <BrokenAnonymityNotice item={item} />
      {kind === "external_tool" && tool > 0 && (
        <ToolContentChooser item={item} tool={tool} onChoose={choose} />
      )}
      <Form
        key={chosen}
        class="form card"
        send={save}
        onPresent={show}
        submit={t("save")}
        done={t("saved")}
        label={t("item.write")}
        draft={`item ${item.id}`}
      >
        <div class="with-settings">
          <div class="form">
            <ItemTitleField item={item} />
            <ContentDataEditor kind={kind} {...edited} />
          </div>
          <details class="settings" open>
            <summary>{t("item.settings")}</summary>
            <div class="form">
              <ItemSettingsFields item={item} />
              {kind === "video" && <VideoSettingsFields data={data} onChange={setData} />}
              <WholeContentJsonEditor data={data} isOpen={!isKnown} onChange={setData} />
            </div>
          </details>
        </div>
        <HiddenContentDraftField data={data} saved={item.data_json} onChange={setData} />
        {doesEditChangePoints(kind, item.data_json, data) && <RescaleScoresField />}
      </Form>
      <section class="card" aria-labelledby="preview">
        <h2 id="preview">{t("item.preview")}</h2>
        {kind === "external_tool" ? (
          <p class="quiet">{t("tool.preview")}</p>
        ) : (
          <ContentDataView kind={kind} data={shown} title={item.title} />
        )}
      </section>
      <EditOrViewTutorNotes of={{ item: item.id }} mayWrite={mayWrite} />
    </>
  );
}
