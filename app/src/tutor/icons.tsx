import { OutlineIcon } from "../components/outline-icon.tsx";

export const MoreIcon = () => (
  <OutlineIcon>
    <path d="M5 12h.01M12 12h.01M19 12h.01" stroke-width="3.500" />
  </OutlineIcon>
);

export const CopyIcon = () => (
  <OutlineIcon>
    <path d="M9 9h11v11H9zM5 15H4V4h11v1" />
  </OutlineIcon>
);

export const CheckIcon = () => (
  <OutlineIcon>
    <path d="m5 13 5 5 9-11" />
  </OutlineIcon>
);

export const SpeakerIcon = () => (
  <OutlineIcon>
    <path d="M4 10v4h4l5 4V6l-5 4zM17 9a4 4 0 0 1 0 6M19.500 6.500a8 8 0 0 1 0 11" />
  </OutlineIcon>
);

export const CardIcon = () => (
  <OutlineIcon>
    <path d="M6 8h14v12H6zM3 16V4h13M13 11v6M10 14h6" />
  </OutlineIcon>
);

export const PencilIcon = () => (
  <OutlineIcon>
    <path d="m5 19 1-4L16 5l3 3L9 18zM14 7l3 3" />
  </OutlineIcon>
);

export const SendIcon = () => (
  <OutlineIcon>
    <path d="M12 20V5M5 12l7-7 7 7" />
  </OutlineIcon>
);

export const CloseIcon = () => (
  <OutlineIcon>
    <path d="M6 6l12 12M18 6 6 18" />
  </OutlineIcon>
);

export const DownIcon = () => (
  <OutlineIcon>
    <path d="M12 4v15M5 12l7 7 7-7" />
  </OutlineIcon>
);

export const StopIcon = () => (
  <OutlineIcon>
    <path d="M7 7h10v10H7z" fill="currentColor" />
  </OutlineIcon>
);
