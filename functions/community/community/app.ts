import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  createOfferingAnnouncement,
  createUniversityAnnouncement,
  deleteAnnouncement,
  getAnnouncement,
  listMyAnnouncements,
  listOfferingAnnouncements,
  listUniversityAnnouncements,
  readAnnouncement,
  updateAnnouncement,
} from "./announcements.ts";
import {
  createDiscussionPost,
  deleteDiscussionPost,
  listDiscussionPosts,
  updateDiscussionPost,
} from "./posts.ts";
import {
  listDiscussionReports,
  moderateCourseReview,
  moderateDiscussionPost,
  reportCourseReview,
  reportDiscussionPost,
} from "./reports.ts";
import { deleteCourseReview, listCourseReviews, writeCourseReview } from "./reviews.ts";
import {
  beginPrivateThread,
  createDiscussionThread,
  deleteDiscussionThread,
  getDiscussionThread,
  listDiscussionThreads,
  updateDiscussionThread,
} from "./threads.ts";

export const community = createEndpointGroup("Community", "/community", [
  listDiscussionThreads,
  createDiscussionThread,
  beginPrivateThread,
  getDiscussionThread,
  updateDiscussionThread,
  deleteDiscussionThread,
  listDiscussionPosts,
  createDiscussionPost,
  updateDiscussionPost,
  deleteDiscussionPost,
  reportDiscussionPost,
  moderateDiscussionPost,
  listDiscussionReports,
  listCourseReviews,
  writeCourseReview,
  deleteCourseReview,
  reportCourseReview,
  moderateCourseReview,
  listMyAnnouncements,
  listOfferingAnnouncements,
  createOfferingAnnouncement,
  listUniversityAnnouncements,
  createUniversityAnnouncement,
  getAnnouncement,
  updateAnnouncement,
  deleteAnnouncement,
  readAnnouncement,
]);
