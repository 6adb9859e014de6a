import { allOf, dataOf, type Schemas } from "learning-platform-client";
import { useContext, useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { NewEntryCard } from "../components/new-entry-card.tsx";
import { ReorderableList } from "../components/reorderable.tsx";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { BulkOutlineChangeForm } from "./bulk-actions.tsx";
import { CourseAuthoringLayout } from "./course-layout.tsx";
import { EditableModuleCard } from "./module-card.tsx";
import { ModuleFields, readModuleFields } from "./module-fields.tsx";
import { sortedChildModules } from "./module-tree.ts";
import { ConflictSafeReorderContext, createConflictSafeReorderActions } from "./outline-order.ts";
import { PublishCourseWithOfferingForm } from "./publish-course.tsx";
import {
  emptySelection,
  OutlineSelectionContext,
  type SelectedModulesAndItems,
  withModuleOrItemToggled,
} from "./selection.ts";

type Module = Schemas["CourseModule"];

export const CourseOutlineEditorScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="">
    {(found, query) => (
      <ConflictSafeReorderContext.Provider value={createConflictSafeReorderActions(found, query)}>
        <Tree of={found} />
      </ConflictSafeReorderContext.Provider>
    )}
  </CourseAuthoringLayout>
);

function Tree({ of }: { of: Schemas["Course"] }) {
  const course = of.id;
  const [chosen, setChosen] = useState<SelectedModulesAndItems>();
  const [round, count] = useState(0);
  const [arrived, setArrived] = useState<number>();
  const query = useQuery(
    async (signal) => {
      const path = { course_id: course };
      const [modules, types] = await Promise.all([
        allOf(apiClient.listCourseModules, { params: { path }, signal }),
        allOf(apiClient.listContentTypes, { params: { query: { limit: 1000 } }, signal }),
      ]);
      return { modules, types };
    },
    [course],
  );
  const outline = useContext(ConflictSafeReorderContext);
  const arrive = (id: number | undefined) => {
    setArrived(id);
    query.again();
    outline.changed().catch(() => {
      // The next reorder reports the conflict.
    });
  };
  const create = async (fields: FormData) => {
    const { id } = await dataOf(
      apiClient.createModule({ body: { course_id: course, ...readModuleFields(fields) } }),
    );
    arrive(id);
  };
  const selecting = {
    ...(chosen && { chosen }),
    turn: (kind: keyof SelectedModulesAndItems, id: number) =>
      setChosen((before = emptySelection) => withModuleOrItemToggled(before, kind, id)),
    round,
  };
  const changedMuch = () => {
    setChosen(emptySelection);
    count(round + 1);
    query.again();
  };
  return (
    <OutlineSelectionContext.Provider value={selecting}>
      <section aria-labelledby="modules">
        <div class="module-head">
          <h2 id="modules" tabIndex={-1}>
            {t("modules")}
          </h2>
          <ButtonWithFocusFallback
            class="quiet"
            aria-pressed={chosen !== undefined}
            onClick={() => setChosen(chosen ? undefined : emptySelection)}
          >
            {t("several")}
          </ButtonWithFocusFallback>
        </div>
        {chosen && <BulkOutlineChangeForm course={course} chosen={chosen} onDone={changedMuch} />}
        <QueryBoundary of={query}>
          {({ modules, types }) => (
            <>
              {modules.length === 0 ? (
                <EmptyMessage>{t("modules.empty")}</EmptyMessage>
              ) : (
                <Branches
                  parent={null}
                  all={modules}
                  types={types}
                  arrived={arrived}
                  query={query}
                  onMoved={arrive}
                />
              )}
              <NewEntryCard id="new-module" title={t("module.new")} submit={t("module.create")} send={create}>
                <ModuleFields all={modules} />
              </NewEntryCard>
              {!of.is_published && modules.length > 0 && (
                <PublishCourseWithOfferingForm course={of} modules={modules} />
              )}
            </>
          )}
        </QueryBoundary>
      </section>
    </OutlineSelectionContext.Provider>
  );
}

type BranchesProps = {
  parent: number | null;
  all: Module[];
  types: Schemas["ContentType"][];
  /** The module that was just created. It takes the focus. */
  arrived: number | undefined;
  query: QueryHookResult<{ modules: Module[]; types: Schemas["ContentType"][] }>;
  /** Called after a module was moved or deleted. */
  onMoved: (id?: number) => void;
};

function Branches({ parent, ...tree }: BranchesProps) {
  const { all, types, arrived, query, onMoved } = tree;
  const siblings = sortedChildModules(all, parent);
  if (siblings.length === 0) return null;
  const put = (changed: Module[]) =>
    query.change(({ modules, ...rest }) => ({
      ...rest,
      modules: modules.map((one) => changed.find(({ id }) => id === one.id) ?? one),
    }));
  const outline = useContext(ConflictSafeReorderContext);
  const order = (module_ids: number[]) =>
    outline.reorder(
      async (header) =>
        put(await dataOf(apiClient.reorderModules({ params: { header }, body: { module_ids } }))),
      query.again,
    );
  return (
    <ReorderableList class="outline" lines={siblings} onOrder={order}>
      {(module, handle) => (
        <EditableModuleCard
          module={module}
          handle={handle}
          all={all}
          types={types}
          isNew={arrived === module.id}
          onChange={(changed) => put([changed])}
          onMoved={onMoved}
        >
          <Branches {...tree} parent={module.id} />
        </EditableModuleCard>
      )}
    </ReorderableList>
  );
}
