import { allOf } from "learning-platform-client";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type GroupChoiceProps = { offering: string; value: string; onChoose: (group: string) => void };

/** Filters by group. Hidden if the offering has none. */
export function GroupFilter({ offering, value, onChoose }: GroupChoiceProps) {
  const groups = useQuery(
    (signal) => allOf(apiClient.listGroups, { params: { path: { offering_id: Number(offering) } }, signal }),
    [offering],
  );
  if (!groups.value?.length) return null;
  const options: [string, string][] = groups.value.map(({ id, name }) => [String(id), name]);
  return (
    <LabeledSelect
      label={t("groups.choice")}
      value={value}
      options={[["", t("groups.all")], ...options]}
      onChoose={onChoose}
    />
  );
}
