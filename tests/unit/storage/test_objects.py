"""Deleting objects: what is deleted is gone, whatever else was deleted before."""

from elcano.storage.store import Store


async def test_a_missing_object_does_not_end_the_deletion_of_others(whole: Store) -> None:
    there = [f"files/a/{number}" for number in range(241)]
    for key in there[::3]:
        await whole.objects.put(key, b"text")
    await whole.objects.delete(there)
    assert [keys async for keys in whole.objects.list_below("files")] == []
    await whole.objects.delete(there)
