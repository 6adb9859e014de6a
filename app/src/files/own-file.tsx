import type { Schemas } from "learning-platform-client";
import { useCited, usePlace } from "../content/place.tsx";
import { t } from "../texts.ts";
import type { FileAddress } from "./addresses.ts";
import { sizeOf } from "./size.ts";
import { useAddress, useMediaSource } from "./use-address.ts";

type Summary = Pick<Schemas["FileSummary"], "id" | "name" | "size" | "media_type" | "state" | "is_erased">;

/** Files of the service's own, as submissions, feedback and posts have them. */
export function FileList({ files, label = t("upload.list") }: { files: readonly Summary[]; label?: string }) {
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label={label}>
      {files.map((file) => (
        <li key={file.id}>
          <SummedUp file={file} />
        </li>
      ))}
    </ul>
  );
}

function SummedUp({ file: { id, name, size, state, is_erased } }: { file: Summary }) {
  if (is_erased) return <Absent name={t("file.erased", { size: sizeOf(size) })} />;
  if (state === "REFUSED") return <Absent name={name ?? ""} why={t("file.refused")} />;
  if (state === "CHECKING") return <Absent name={name ?? ""} why={t("upload.CHECKING")} />;
  return <OwnFile id={id} name={name ?? undefined} />;
}

const Absent = ({ name, why }: { name: string; why?: string }) => (
  <p class="quiet">
    <bdi>{name}</bdi>
    {name && why && " · "}
    {why}
  </p>
);

type OwnFileProps = {
  id: number;
  /** In place of the name under which it was sent. */
  name?: string | undefined;
  /** What is on it; without, its name stands for that. */
  alt?: string;
};

/** A file of the service's own: what can be seen or heard is there, and everything else, or the same to keep, is a link. */
export function OwnFile({ id, name, alt }: OwnFileProps) {
  const address = useAddress(id);
  const place = usePlace().file;
  const cited = useCited<HTMLElement>(place !== undefined && address?.name === place);
  if (address === undefined) return <Absent name={name ?? ""} why={t("loading")} />;
  if (address === null) return <Absent name={name ?? ""} why={t("file.absent")} />;
  const words = name || address.name;
  return (
    <figure class="file" {...cited}>
      <Media key={kindOf(address)} address={address} alt={alt ?? words} />
      <figcaption>
        <a href={address.url} target="_blank" rel="noopener noreferrer">
          <bdi>{words}</bdi>
        </a>{" "}
        <small>{sizeOf(address.size)}</small>
      </figcaption>
    </figure>
  );
}

const kindOf = ({ media_type }: FileAddress): string => media_type.split("/")[0] ?? "";

/** A drawing that may hold scripts is shown nowhere. */
const isPicture = ({ media_type }: FileAddress): boolean =>
  media_type.startsWith("image/") && !media_type.startsWith("image/svg");

function Media({ address, alt }: { address: FileAddress; alt: string }) {
  if (isPicture(address)) return <Picture address={address} alt={alt} />;
  if (kindOf(address) === "video") return <Film address={address} label={alt} />;
  if (kindOf(address) === "audio") return <Sound address={address} label={alt} />;
  return null;
}

/** A picture of the service's own. */
export function Picture({ address, alt }: { address: FileAddress; alt: string }) {
  const { src, keep, failed, hasFailed } = useMediaSource(address);
  if (hasFailed) return null;
  return <img src={src} alt={alt} loading="lazy" onLoad={keep} onError={failed} />;
}

function Film({ address, label }: { address: FileAddress; label: string }) {
  const { src, keep, failed, hasFailed } = useMediaSource(address);
  if (hasFailed) return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: it was handed in or posted as it is
    <video
      controls
      preload="metadata"
      src={src}
      aria-label={label}
      onLoadedMetadata={keep}
      onError={failed}
    />
  );
}

function Sound({ address, label }: { address: FileAddress; label: string }) {
  const { src, keep, failed, hasFailed } = useMediaSource(address);
  if (hasFailed) return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: it was handed in or posted as it is
    <audio
      controls
      preload="metadata"
      src={src}
      aria-label={label}
      onLoadedMetadata={keep}
      onError={failed}
    />
  );
}

/** A picture by its id; what is none, or not there, says so. */
export function OwnPicture({ id, alt }: { id: number; alt: string }) {
  const address = useAddress(id);
  if (address === undefined) return <div class="skeleton" />;
  return address && isPicture(address) ? <Picture address={address} alt={alt} /> : <OwnFile id={id} />;
}

/** A small picture beside the name that it has already. */
export function Thumbnail({ id }: { id: number }) {
  const address = useAddress(id);
  return (
    <span class="thumbnail">{address && isPicture(address) && <Picture address={address} alt="" />}</span>
  );
}
