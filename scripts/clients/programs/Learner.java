import java.util.ArrayList;
import java.util.List;
import platform.ApiClient;
import platform.ApiException;
import platform.api.*;
import platform.auth.HttpBearerAuth;
import platform.model.*;

/** The learner's main job through the client that was generated for Java. */
public class Learner {
  public static void main(String[] arguments) throws Exception {
    String base = arguments[0], code = arguments[3];
    ApiClient client = new ApiClient();
    client.setBasePath(base);

    TokenPair tokens = new AuthenticationApi(client)
        .login(new Credentials().email(arguments[1]).password(arguments[2]));
    ((HttpBearerAuth) client.getAuthentication("accessToken")).setBearerToken(tokens.getAccessToken());

    CoursesApi courses = new CoursesApi(client);
    List<CourseSummary> listed = courses.listCourses(null, null, null, null, null, null, null, null, 20);
    CourseSummary course = listed.stream().filter(one -> code.equals(one.getCode())).findFirst().get();
    Offering offering =
        courses.listCourseOfferings(course.getId(), null, null, null, null, null, null, null, 1).get(0);
    Enrollment enrollment = new EnrollmentsApi(client)
        .createEnrollment(new EnrollmentCreate().courseOfferingId(offering.getId()));
    Outline outline = courses.getCourseOfferingOutline(course.getId(), offering.getId(), null, null, null);
    OutlineItem item = outline.getModules().stream()
        .flatMap(module -> module.getItems().stream()).findFirst().get();

    ChatApi chat = new ChatApi(client);
    ChatSession session = chat.createChatSession(new ChatSessionCreate().contentItemId(item.getId()));
    String text = chat.sendChatMessage(session.getId(), new ChatMessageCreate().content("Start."));
    List<TutorEvent> events = new ArrayList<>();
    for (String line : text.split("\n"))
      if (line.startsWith("data: "))
        events.add(TutorEvent.fromJson(line.substring(6)));
    TutorEvent end = events.get(events.size() - 1);

    ProgressApi progress = new ProgressApi(client);
    progress.recordContentProgress(new ContentProgressPost()
        .contentItemId(item.getId()).courseOfferingId(offering.getId())
        .progressPercent(new java.math.BigDecimal(50)));
    ContentProgress mine = progress.listMyContentProgress(offering.getId(), null, null).stream()
        .filter(one -> one.getContentItemId().equals(item.getId())).findFirst().get();
    String missing = "";
    try {
      courses.getCourse(2147483647);
    } catch (ApiException error) {
      missing = ErrorAnswer.fromJson(error.getResponseBody()).getDetail();
    }

    System.out.printf(
        "{\"courses\": %d, \"enrollment\": \"%s\", \"words\": %d, \"ended\": %b, \"question\": \"%s\", "
            + "\"progress\": %d, \"missing\": \"%s\"}%n",
        listed.size(), enrollment.getStatus(), events.stream().mapToInt(one -> one.getContent().length()).sum(),
        end.getDone() && end.getMessageId() != null, end.getQuestion().getQuestionId(),
        mine.getProgressPercent().intValue(), missing);
  }
}
