import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { explainError, QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { hasStaffRole, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

type Preferences = Schemas["NotificationPreferences"];
type Kind = keyof Preferences;
type Mail = Preferences[Kind]["mail"];

const kinds: Kind[] = [
  "announcement",
  "discussion_reply",
  "due_soon",
  "grade_outdated",
  "grade_released",
  "place_obtained",
  "private_message",
  "rollout_stopped",
  "tutor_handover",
];
/** Kinds that only staff receive. */
const toStaff = new Set<Kind>(["grade_outdated", "rollout_stopped", "tutor_handover"]);
const mails: Mail[] = ["off", "immediate", "daily"];

/** Notification settings, in the app and by mail. Each change is saved immediately. */
export function NotificationPreferencesForm() {
  const isStaff = hasStaffRole(useCurrentUser());
  const [note, setNote] = useState("");
  const preferences = useQuery((signal) => dataOf(apiClient.getMyNotificationPreferences({ signal })), []);
  async function change(kind: Kind, wanted: Schemas["NotificationPreferenceUpdate"]) {
    setNote("");
    try {
      preferences.set(await dataOf(apiClient.updateMyNotificationPreferences({ body: { [kind]: wanted } })));
      setNote(t("saved"));
    } catch (error) {
      setNote(explainError(error));
      preferences.again();
    }
  }
  return (
    <QueryBoundary of={preferences}>
      {(found) => (
        <>
          <ul class="lines">
            {kinds
              .filter((kind) => isStaff || !toStaff.has(kind))
              .map((kind) => (
                <li key={kind}>
                  <span id={`about-${kind}`}>{t(`preference.${kind}`)}</span>
                  <span class="row">
                    <label class="check">
                      <input
                        type="checkbox"
                        checked={found[kind].in_app}
                        aria-describedby={`about-${kind}`}
                        onChange={(event) => change(kind, { in_app: event.currentTarget.checked })}
                      />
                      {t("preference.here")}
                    </label>
                    <select
                      aria-label={`${t("preference.mail")}: ${t(`preference.${kind}`)}`}
                      value={found[kind].mail}
                      onChange={(event) => change(kind, { mail: event.currentTarget.value as Mail })}
                    >
                      {mails.map((mail) => (
                        <option key={mail} value={mail}>
                          {t(`mail.${mail}`)}
                        </option>
                      ))}
                    </select>
                  </span>
                </li>
              ))}
          </ul>
          <p role="status" class="quiet">
            {note}
          </p>
        </>
      )}
    </QueryBoundary>
  );
}
