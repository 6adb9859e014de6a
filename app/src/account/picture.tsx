import { dataOf } from "learning-platform-client";
import { useEffect } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Avatar } from "../files/avatar.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import { apiClient } from "../service.ts";
import { useCurrentUser, useSession } from "../session.tsx";
import { t } from "../texts.ts";

export function ProfilePictureUpload() {
  const { profile } = useCurrentUser();
  const { person } = useSession();
  const picture = useFormUploads({ purpose: "AVATAR" });
  const set = async (file_id: number | null) => {
    await dataOf(apiClient.setMyAvatar({ body: { file_id } }));
    person.again();
    picture?.list.clear();
  };
  const ready = picture?.uploads.find(({ state }) => state === "READY")?.id;
  useEffect(() => {
    if (ready !== undefined && picture) set(ready).catch(picture.list.refuse);
  }, [ready]);
  if (!picture) return null;
  return (
    <section class="card" aria-labelledby="picture">
      <h2 id="picture">{t("account.picture")}</h2>
      <p class="quiet">{t("account.picture.about")}</p>
      <div class="row">
        <Avatar url={profile.avatar_url} name={profile.full_name} class="large" />
        {profile.avatar_url && (
          <ActionButton class="quiet" run={() => set(null)}>
            {t("account.picture.remove")}
          </ActionButton>
        )}
      </div>
      <FileUploadPicker label={t("account.picture.new")} of={picture} />
    </section>
  );
}
