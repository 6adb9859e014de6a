import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  createFlashcardDeck,
  deleteFlashcardDeck,
  getFlashcardDeck,
  listFlashcardDecks,
  updateFlashcardDeck,
} from "./decks.ts";
import {
  createFlashcard,
  createFlashcardFromAnswer,
  createFlashcardFromQuestion,
  deleteFlashcard,
  getFlashcard,
  listDueFlashcards,
  listFlashcards,
  reviewFlashcard,
  updateFlashcard,
} from "./flashcards.ts";
import { createNote, deleteNote, getNote, listNotes, updateNote } from "./notes.ts";
import { searchOwnWords } from "./own-words.ts";

export const study = createEndpointGroup("Study", "/study", [
  searchOwnWords,
  listNotes,
  createNote,
  getNote,
  updateNote,
  deleteNote,
  listFlashcardDecks,
  createFlashcardDeck,
  getFlashcardDeck,
  updateFlashcardDeck,
  deleteFlashcardDeck,
  listFlashcards,
  createFlashcard,
  listDueFlashcards,
  createFlashcardFromAnswer,
  createFlashcardFromQuestion,
  getFlashcard,
  updateFlashcard,
  deleteFlashcard,
  reviewFlashcard,
]);
