import type { Schemas } from "learning-platform-client";
import { Field, valueOfEventTarget } from "../components/field.tsx";
import { FieldArray } from "../components/field-array.tsx";
import { NumberInput } from "../components/number-input.tsx";
import { t } from "../texts.ts";

export type GradedItemIdAndTitle = { id: number; title: string };
type Letter = Schemas["GradingScheme"]["letter_scale"][number];
type Group = Schemas["GradingScheme"]["groups"][number];

type FieldProps<Value> = { name: string; label: string; value: Value; onChange: (value: Value) => void };

const WordField = ({ value, maxLength, onChange, ...field }: FieldProps<string> & { maxLength: number }) => (
  <Field {...field}>
    <input
      maxLength={maxLength}
      value={value}
      onInput={(event) => onChange(valueOfEventTarget(event))}
      required
    />
  </Field>
);

const PercentField = ({ value, onChange, ...field }: FieldProps<number>) => (
  <Field {...field}>
    <NumberInput
      min={0}
      max={100}
      step="any"
      required
      value={value}
      onChange={(percent = 0) => onChange(percent)}
    />
  </Field>
);

type LettersProps = { letters: Letter[]; onChange: (letters: Letter[]) => void };

export const LetterScaleEditor = ({ letters, onChange }: LettersProps) => (
  <FieldArray
    label={t("scheme.letters")}
    rows={letters}
    isOrdered={false}
    onChange={onChange}
    add={[[t("scheme.letter.add"), () => ({ letter: "", min_percent: 0 })]]}
  >
    {(one, at, change) => (
      <>
        <WordField
          name={`letter_scale.${at}.letter`}
          label={t("scheme.letter")}
          maxLength={8}
          value={one.letter}
          onChange={(letter) => change({ ...one, letter })}
        />
        <PercentField
          name={`letter_scale.${at}.min_percent`}
          label={t("scheme.letter.from")}
          value={one.min_percent}
          onChange={(min_percent) => change({ ...one, min_percent })}
        />
      </>
    )}
  </FieldArray>
);

type GroupsProps = { groups: Group[]; items: GradedItemIdAndTitle[]; onChange: (groups: Group[]) => void };

export const GradeGroupsEditor = ({ groups, items, onChange }: GroupsProps) => (
  <>
    <p class="quiet">{t("scheme.groups.about")}</p>
    <FieldArray
      label={t("scheme.groups")}
      rows={groups}
      isOrdered={false}
      onChange={onChange}
      add={[[t("scheme.group.add"), () => ({ name: "", weight: 0, content_item_ids: [], drop_lowest: 0 })]]}
    >
      {(one, at, change) => (
        <>
          <WordField
            name={`groups.${at}.name`}
            label={t("name")}
            maxLength={128}
            value={one.name}
            onChange={(name) => change({ ...one, name })}
          />
          <PercentField
            name={`groups.${at}.weight`}
            label={t("scheme.weight")}
            value={one.weight}
            onChange={(weight) => change({ ...one, weight })}
          />
          <DropLowestScoresField
            name={`groups.${at}.drop_lowest`}
            value={one.drop_lowest}
            onChange={(drop_lowest) => change({ ...one, drop_lowest })}
          />
          <ItemTicks
            group={one}
            items={items}
            onChange={(content_item_ids) => change({ ...one, content_item_ids })}
          />
        </>
      )}
    </FieldArray>
  </>
);

type DropProps = { name: string; value: number; onChange?: (value: number) => void };

/** How many of the lowest scores are dropped. */
export const DropLowestScoresField = ({ name, value, onChange }: DropProps) => (
  <Field name={name} label={t("scheme.drop")} about={t("scheme.drop.about")}>
    <NumberInput min={0} max={200} required value={value} onChange={(most = 0) => onChange?.(most)} />
  </Field>
);

type TicksProps = { group: Group; items: GradedItemIdAndTitle[]; onChange: (ids: number[]) => void };

function ItemTicks({ group: { content_item_ids: ids }, items, onChange }: TicksProps) {
  const toggle = (id: number) => onChange(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]);
  return (
    <fieldset class="ticks">
      <legend>{t("scheme.group.items")}</legend>
      {items.length === 0 && <span class="quiet">{t("gradebook.no.items")}</span>}
      {items.map(({ id, title }) => (
        <label key={id} class="check">
          <input type="checkbox" checked={ids.includes(id)} onChange={() => toggle(id)} />
          {title}
        </label>
      ))}
    </fieldset>
  );
}
