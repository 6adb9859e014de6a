import { useState } from "preact/hooks";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { type AdministrationMenuEntry, searchMenuEntries } from "./menu-entries.ts";

/** Finds a screen of the administration while the user types. Enter opens the first one. */
export function AdministrationScreenSearch({
  university,
  parts,
}: {
  university: string;
  parts: readonly AdministrationMenuEntry[];
}) {
  const [typed, setTyped] = useState("");
  const found = typed.trim() === "" ? [] : searchMenuEntries(parts, typed);
  const hrefOf = ({ name }: AdministrationMenuEntry) => screenHref("administration", university, name);
  const openFirst = (event: SubmitEvent) => {
    event.preventDefault();
    if (found[0]) location.hash = hrefOf(found[0]);
  };
  return (
    <form class="find-part" aria-label={t("admin.find")} onSubmit={openFirst}>
      <input
        type="search"
        class="narrow"
        aria-label={t("admin.find")}
        placeholder={t("admin.find")}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <span role="status" class="unseen">
        {typed.trim() !== "" && t("admin.found", { n: found.length })}
      </span>
      {typed.trim() !== "" && (
        <ul class="card">
          {found.length === 0 && <li class="quiet">{t("admin.find.none")}</li>}
          {found.map((part) => (
            <li key={part.name}>
              <a href={hrefOf(part)}>{t(part.label)}</a> <small>{t(`admin.group.${part.group}`)}</small>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
