import { allOf } from "learning-platform-client";
import { SelectField } from "../components/field.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** Submits for a group or for the learner alone. */
export function SubmissionGroupField({ offering }: { offering: number }) {
  const groups = useQuery(
    async (signal) => {
      const found = await allOf(apiClient.listGroups, {
        params: { path: { offering_id: offering } },
        signal,
      });
      return found.filter((one) => one.own_role === "MEMBER");
    },
    [offering],
  );
  return (
    <QueryBoundary of={groups}>
      {(own) => {
        const [first] = own;
        if (!first) return <p class="quiet">{t("work.group.none")}</p>;
        if (own.length === 1) return <p class="quiet">{t("work.group.one", { name: first.name })}</p>;
        return (
          <SelectField
            name="group_id"
            label={t("work.group.which")}
            of={own.map(({ id, name }): [string, string] => [String(id), name])}
            chosen={String(first.id)}
          />
        );
      }}
    </QueryBoundary>
  );
}
