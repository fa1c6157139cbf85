"""The fixed words of reports in Korean."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="질문:",
    partial="**부분 결과:** 실행이 일찍 끝났습니다: {reason}.",
    endings={
        "stopped": "중지되었습니다",
        "time": "시간을 모두 썼습니다",
        "tokens": "토큰 예산을 모두 썼습니다",
        "cost": "비용 예산을 모두 썼습니다",
        "iterations": "모든 반복을 썼습니다",
        "steps": "모든 단계를 썼습니다",
        "stalled": "더 검색해도 새로운 것이 없었습니다",
        "node_failed": "한 단계가 실패했습니다",
        "provider": "제공자가 응답하지 못했습니다",
        "sections": "모든 절이 끝까지 조사되지는 않았습니다",
    },
    warning="**경고:**",
    quoted="이 보고서는 원문 인용으로만 이루어져 있으며, 작성에 언어 모델을 쓰지 않았습니다.",
    written="작성: {models}. 모든 인용은 프로그램이 확인했습니다.",
    unread="검토자가 읽지 않았습니다. 진술의 수치, 이름, 낱말을 프로그램이 인용문과 비교했습니다.",
    unnamed="이름 없는 모델",
    not_answered="이 질문의 답으로 인용할 수 있는 문장을 찾지 못했습니다.",
    no_result="이 질문에 답하는 결과를 낸 쿼리가 없습니다.",
    key_findings="주요 결과",
    limitations="한계",
    related="관련 구절",
    nearest="가장 가까운 구절",
    nearest_told="찾은 것 가운데 가장 가까운 구절이며, 질문에 답하지 않을 수 있습니다.",
    disputed="논란이 있는 점",
    strength="근거의 강도",
    conclusion="결론",
    unverified="확인하지 못한 것",
    warnings="경고",
    what_was_searched="검색한 것",
    sources="출처: {names}.",
    searched_for="검색어: {queries}.",
    searched_on="검색일: {day}.",
    searched_from="검색일: {first}부터 {last}까지.",
    retrieved_on="가져온 날: {day}.",
    retrieved_from="가져온 날: {first}부터 {last}까지.",
    references="참고 문헌",
    section_missing="**이 절이 없습니다:** {reason}",
    section_unanswered="이 절의 답으로 인용할 수 있는 문장을 찾지 못했습니다.",
    section_ended="이 절의 조사가 일찍 끝났습니다: {reason}.",
    further="그 밖의 구절",
    nothing_holds="찾은 것 가운데 답으로 인용할 만큼 질문의 내용을 담은 것이 없습니다.",
    nothing_found="검색한 출처에서 아무것도 찾지 못했습니다.",
    silent="찾은 구절 가운데 다음을 언급하는 것이 없습니다: ",
    unspoken_part="질문의 이 부분에 답할 만큼의 내용을 담은 구절을 찾지 못했습니다: ",
    unquoted_part="질문의 이 부분에 관한 구절은 찾았지만 답으로 인용한 것은 없습니다: ",
    other_language=(
        "출처가 이 질문에 답하는지 알 수 없습니다. 찾은 것은 질문과 다른 언어로 되어 "
        "있고, 언어 모델 없이는 아무것도 번역되지 않습니다."
    ),
    unknown_language=("이 질문의 언어가 지닌 낱말의 꼴은 여기서 알지 못합니다. 낱말은 쓰인 그대로 비교했습니다."),
    analysis="통계 분석",
    verdicts={"supported": "지지됨", "refuted": "반박됨", "inconclusive": "결론 없음"},
)
