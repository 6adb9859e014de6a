import { Button } from "../components/button.tsx";
import { saveAs } from "../components/save-as.ts";
import { t } from "../texts.ts";
import type { SampleFile } from "./sample-files.ts";

/** Downloads of small files in each format that an import reads. */
export const SampleFiles = ({ samples }: { samples: readonly SampleFile[] }) => (
  <p class="row">
    <span class="quiet">{t("imports.samples")}</span>
    {samples.map(({ name, format, content, type }) => (
      <Button key={name} class="quiet" onClick={() => saveAs(name, content, type)}>
        {format}
      </Button>
    ))}
  </p>
);
