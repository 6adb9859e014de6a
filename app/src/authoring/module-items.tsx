import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useContext } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { contentTypeLabel } from "../components/content-type-label.ts";
import { Field, SelectField } from "../components/field.tsx";
import { Form, readTextField } from "../components/form.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { readNumberFieldOrNull } from "../components/localized-number.ts";
import { ReorderableList } from "../components/reorderable.tsx";
import { useContentLanguage } from "../markup/content-language.ts";
import { TranslatedSentenceWithTitle } from "../markup/text-in-content-language.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { ConflictSafeReorderContext } from "./outline-order.ts";
import { PublishToggleWithBadge } from "./publish-toggle.tsx";
import { OutlineSelectionContext } from "./selection.ts";
import { SelectionCheckbox } from "./selection-checkbox.tsx";

type Item = Schemas["ListedContentItem"];
type Module = Schemas["CourseModule"];
type ModuleItemsProps = { module: Module; types: Schemas["ContentType"][]; isOpen: boolean };

/** The items of a module: create, reorder, publish and delete. */
export const EditableModuleItemList = ({ module, types, isOpen }: ModuleItemsProps) => (
  <LazyDisclosure
    label={<TranslatedSentenceWithTitle text="items.of" title={module.title} />}
    isOpen={isOpen}
  >
    {() => <Items module={module} types={types} />}
  </LazyDisclosure>
);

function Items({ module, types }: Omit<ModuleItemsProps, "isOpen">) {
  const path = { module_id: module.id };
  const { round } = useContext(OutlineSelectionContext);
  const items = useQuery(
    (signal) =>
      dataOf(apiClient.listModuleContent({ params: { path, query: { fields: "summary" } }, signal })),
    [module.id, round],
  );
  const outline = useContext(ConflictSafeReorderContext);
  const order = (content_ids: number[]) =>
    outline.reorder(async (header) => {
      const ordered = await dataOf(apiClient.reorderContent({ params: { header }, body: { content_ids } }));
      items.change(() => ordered);
    }, items.again);
  const create = async (fields: FormData) => {
    const content_type_id = readNumberFieldOrNull(fields, "content_type_id") ?? 0;
    const title = readTextField(fields, "title");
    const parent = { course_id: module.course_id, module_id: module.id };
    const body = { ...parent, title, content_type_id, data_json: {}, is_active: false };
    const { id } = await dataOf(apiClient.createContent({ body }));
    location.hash = screenHref("authoring", module.course_id, "items", id);
  };
  return (
    <>
      <QueryBoundary of={items}>
        {(found) => (
          <ReorderableList class="items" lines={found} onOrder={order}>
            {(item, handle) => (
              <span class="item written">
                <ItemLine item={item} all={items} />
                {handle}
              </span>
            )}
          </ReorderableList>
        )}
      </QueryBoundary>
      <LazyDisclosure label={t("item.new")}>
        {() => (
          <Form send={create} submit={t("item.create")}>
            <div class="fields">
              <Field name="title" label={t("title")}>
                <input maxLength={255} required />
              </Field>
              <SelectField
                name="content_type_id"
                label={t("module.kind")}
                of={types.map(({ id, name, label }) => [id, named(name, label)])}
                chosen={null}
              />
            </div>
          </Form>
        )}
      </LazyDisclosure>
    </>
  );
}

/** Built-in types have translated names. Types that administrators added have their own label. */
const named = (name: string, label: string): string =>
  contentTypeLabel(name) === name ? label : contentTypeLabel(name);

function ItemLine({ item, all }: { item: Item; all: QueryHookResult<Item[]> }) {
  const params = { path: { content_id: item.id }, header: ifMatch(item.version) };
  const publish = async () => {
    const changed = await dataOf(apiClient.updateContent({ params, body: { is_active: !item.is_active } }));
    all.change((items) => items.map((one) => (one.id === item.id ? changed : one)));
  };
  const remove = async () => {
    if (!confirm(t("item.delete.sure", { title: item.title }))) return;
    await dataOf(apiClient.deleteContent({ params }));
    document.getElementById(`module-${item.module_id}`)?.focus();
    all.again();
  };
  const outline = useContext(ConflictSafeReorderContext);
  const copy = async () => {
    await dataOf(apiClient.copyContent({ params: { path: params.path } }));
    all.again();
    // The items after it have moved.
    await outline.changed();
  };
  return (
    <>
      <SelectionCheckbox kind="items" id={item.id} title={item.title} />
      <span class="what">
        <a href={screenHref("authoring", item.course_id, "items", item.id)} lang={useContentLanguage()}>
          {item.title}
        </a>
        <small>{named(item.content_type.name, item.content_type.label)}</small>
      </span>
      <PublishToggleWithBadge title={item.title} isOpen={item.is_active} turn={publish} />
      <ActionButton class="quiet" run={copy} named={{ text: "copy.of", title: item.title }}>
        {t("copy")}
      </ActionButton>
      <ActionButton class="quiet" run={remove} named={{ text: "delete.titled", title: item.title }}>
        {t("delete")}
      </ActionButton>
    </>
  );
}
