import { useEffect, useState } from "preact/hooks";
import { useContentLanguage } from "../markup/content-language.ts";
import { t } from "../texts.ts";
import type { VideoData } from "./content-data.ts";
import { transcriptToWebVtt } from "./web-vtt.ts";

/** The transcript as captions of a film. */
export function CaptionTrack({ transcript }: { transcript: VideoData["transcript"] | undefined }) {
  const language = useContentLanguage();
  const source = transcriptToWebVtt(transcript?.segments ?? []);
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (source === undefined) return setAddress(undefined);
    const made = URL.createObjectURL(new Blob([source], { type: "text/vtt" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [source]);
  if (address === undefined) return null;
  const spoken = transcript?.language || language;
  return <track kind="captions" src={address} srcLang={spoken} label={t("captions")} default />;
}
