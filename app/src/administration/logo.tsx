import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { FileUploadPicker } from "../files/file-picker.tsx";
import { useFormUploads } from "../files/use-uploads.ts";
import type { QueryHookResult } from "../query.tsx";
import { apiClient } from "../service.ts";
import { useSession } from "../session.tsx";
import { t } from "../texts.ts";

type LogoProps = { university: Schemas["University"]; query: QueryHookResult<Schemas["University"]> };

export function UniversityLogoUpload({ university, query }: LogoProps) {
  const { person } = useSession();
  const picture = useFormUploads({ purpose: "LOGO", scope: { university_id: university.id } });
  const set = async (file_id: number | null) => {
    const path = { university_id: university.id };
    const { logo_url } = await dataOf(apiClient.setUniversityLogo({ params: { path }, body: { file_id } }));
    query.set({ ...university, logo_url });
    person.again();
    picture?.list.clear();
  };
  const ready = picture?.uploads.find(({ state }) => state === "READY")?.id;
  useEffect(() => {
    if (ready !== undefined && picture) set(ready).catch(picture.list.refuse);
  }, [ready]);
  if (!picture) return null;
  return (
    <section class="card" aria-labelledby="logo">
      <h2 id="logo">{t("university.logo")}</h2>
      <p class="quiet">{t("university.logo.about")}</p>
      {university.logo_url && (
        <div class="row">
          <img
            class="logo"
            src={university.logo_url}
            alt={t("university.logo.of", { name: university.name })}
          />
          <ActionButton class="quiet" run={() => set(null)}>
            {t("university.logo.remove")}
          </ActionButton>
        </div>
      )}
      <FileUploadPicker label={t("university.logo.new")} of={picture} />
    </section>
  );
}
