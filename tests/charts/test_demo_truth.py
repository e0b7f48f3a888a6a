"""The judgements of the demo collection speak of claims and documents that are there."""

from sparse_coverage.evaluation.clefip import topic_document
from sparse_coverage.evaluation.demo import TOPICS_FILE, demo_chart_truth, demo_patents, demo_topics


def test_each_judged_element_stands_in_its_claim_and_each_document_is_in_the_collection():
    topics = {topic.id: topic for topic in demo_topics()}
    documents = {patent.id for patent in demo_patents()}
    truth = list(demo_chart_truth())

    assert {one.topic for one in truth} == set(topics)
    assert sum(len(element.found) for one in truth for element in one.elements) >= 300
    for one in truth:
        claims = {claim.number: claim.text for claim in topic_document(topics[one.topic], TOPICS_FILE).claims}
        assert set(one.documents) <= documents
        for element in one.elements:
            assert claims[element.claim].count(element.text) == 1, element.text
