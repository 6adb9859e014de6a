import { StrokedIcon } from "../components/stroked-icon.tsx";

export const MoreIcon = () => (
  <StrokedIcon>
    <path d="M5 12h.01M12 12h.01M19 12h.01" stroke-width="3.500" />
  </StrokedIcon>
);

export const CopyIcon = () => (
  <StrokedIcon>
    <path d="M9 9h11v11H9zM5 15H4V4h11v1" />
  </StrokedIcon>
);

export const CheckIcon = () => (
  <StrokedIcon>
    <path d="m5 13 5 5 9-11" />
  </StrokedIcon>
);

export const SpeakerIcon = () => (
  <StrokedIcon>
    <path d="M4 10v4h4l5 4V6l-5 4zM17 9a4 4 0 0 1 0 6M19.500 6.500a8 8 0 0 1 0 11" />
  </StrokedIcon>
);

export const CardIcon = () => (
  <StrokedIcon>
    <path d="M6 8h14v12H6zM3 16V4h13M13 11v6M10 14h6" />
  </StrokedIcon>
);

export const PencilIcon = () => (
  <StrokedIcon>
    <path d="m5 19 1-4L16 5l3 3L9 18zM14 7l3 3" />
  </StrokedIcon>
);

export const SendIcon = () => (
  <StrokedIcon>
    <path d="M12 20V5M5 12l7-7 7 7" />
  </StrokedIcon>
);

export const CloseIcon = () => (
  <StrokedIcon>
    <path d="M6 6l12 12M18 6 6 18" />
  </StrokedIcon>
);

export const DownIcon = () => (
  <StrokedIcon>
    <path d="M12 4v15M5 12l7 7 7-7" />
  </StrokedIcon>
);

export const StopIcon = () => (
  <StrokedIcon>
    <path d="M7 7h10v10H7z" fill="currentColor" />
  </StrokedIcon>
);
