import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import type { ComponentChildren, TargetedToggleEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { pickChangedFields } from "../components/changed-fields.ts";
import { Form } from "../components/form.tsx";
import { TextInContentLanguage } from "../markup/text-in-content-language.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { ModuleFields, readModuleFields } from "./module-fields.tsx";
import { EditableModuleItemList } from "./module-items.tsx";
import { PublishToggleWithBadge } from "./publish-toggle.tsx";
import { SelectionCheckbox } from "./selection-checkbox.tsx";

type Module = Schemas["CourseModule"];

type ModuleCardProps = {
  module: Module;
  handle: ComponentChildren;
  all: Module[];
  types: Schemas["ContentType"][];
  isNew: boolean;
  onChange: (module: Module) => void;
  /** Called with the module's id after it moved, or without one after it was deleted. */
  onMoved: (id?: number) => void;
  children: ComponentChildren;
};

/** Number of modules whose content is open initially. */
const maxModulesOpenInitially = 12;

export function EditableModuleCard({
  module,
  handle,
  all,
  types,
  isNew,
  onChange,
  onMoved,
  children,
}: ModuleCardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);
  const params = { path: { module_id: module.id } };
  const publish = async () => {
    const header = ifMatch(module.version);
    const body = { is_published: !module.is_published };
    onChange(await dataOf(apiClient.updateModule({ params: { ...params, header }, body })));
  };
  const copy = async () => onMoved((await dataOf(apiClient.copyModule({ params }))).id);
  return (
    <article class={module.depth === 0 ? "card module" : "module"} aria-labelledby={`module-${module.id}`}>
      <div class="module-head">
        <h3
          id={`module-${module.id}`}
          class={`depth-${Math.min(module.depth, 3)}`}
          ref={heading}
          tabIndex={-1}
        >
          <TextInContentLanguage>{module.title}</TextInContentLanguage>
        </h3>
        <span class="row">
          <SelectionCheckbox kind="modules" id={module.id} title={module.title} />
          <PublishToggleWithBadge title={module.title} isOpen={module.is_published} turn={publish} />
          <ActionButton class="quiet" run={copy} named={{ text: "copy.of", title: module.title }}>
            {t("copy")}
          </ActionButton>
          {handle}
        </span>
      </div>
      <EditModule module={module} all={all} onChange={onChange} onMoved={onMoved} />
      <EditableModuleItemList
        module={module}
        types={types}
        isOpen={all.length <= maxModulesOpenInitially || isNew}
      />
      {children}
    </article>
  );
}

type EditProps = Pick<ModuleCardProps, "module" | "all" | "onChange" | "onMoved">;

function EditModule({ module, all, onChange, onMoved }: EditProps) {
  const [isOpen, setOpen] = useState(false);
  // Stays mounted after closing, which keeps unsaved edits.
  const [isDrawn, setDrawn] = useState(false);
  const summary = useRef<HTMLElement>(null);
  const params = { path: { module_id: module.id } };
  const save = async (fields: FormData, present = module) => {
    const body = pickChangedFields(readModuleFields(fields, module), module);
    const isMoved = "parent_module_id" in body;
    onChange(
      await dataOf(apiClient.updateModule({ params: { ...params, header: ifMatch(present.version) }, body })),
    );
    setOpen(false);
    setDrawn(false);
    if (isMoved) onMoved(module.id);
    else summary.current?.focus();
  };
  const remove = async () => {
    if (!confirm(t("module.delete.sure", { title: module.title }))) return;
    await dataOf(apiClient.deleteModule({ params: { ...params, header: ifMatch(module.version) } }));
    document.getElementById("modules")?.focus();
    onMoved();
  };
  const toggle = (event: TargetedToggleEvent<HTMLDetailsElement>) => {
    const { open } = event.currentTarget;
    setOpen(open);
    if (open) setDrawn(true);
  };
  return (
    <details open={isOpen} onToggle={toggle}>
      <summary ref={summary}>
        {t("edit")}
        <span class="unseen"> {module.title}</span>
      </summary>
      {isDrawn && (
        <>
          <Form send={save} onPresent={onChange} submit={t("save")}>
            <ModuleFields all={all} module={module} />
          </Form>
          <ActionButton class="quiet" run={remove}>
            {t("module.delete")}
          </ActionButton>
        </>
      )}
    </details>
  );
}
