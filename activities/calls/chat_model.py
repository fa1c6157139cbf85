"""Chat completions as they come from OpenAI and from all the servers that speak as it does.

What pydantic-ai drops or stumbles over, with usage that was paid for, is put into the form that it reads. Imports
OpenAI's SDK, which takes a second.
"""

from typing import Any

from openai.types import chat
from openai.types.chat.chat_completion_message import ChatCompletionMessage
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.usage import RequestUsage


class ChatModel(OpenAIChatModel):
    """`OpenAIChatModel`, for servers that are less exact than OpenAI."""

    def _validate_completion(self, response: chat.ChatCompletion) -> Any:
        """An error that came as if it were an answer is one; a filtered answer without a message is a filtered answer.

        The first is how llama.cpp, OpenRouter and proxies answer now and then (status 200, `error` and no `choices`),
        the second how Azure does.
        """
        error = (response.model_extra or {}).get("error")
        if error and not response.choices:
            raise self._error_of(error)
        for choice in response.choices or ():
            if getattr(choice, "message", None) is None and choice.finish_reason == "content_filter":
                choice.message = ChatCompletionMessage(role="assistant", content=None)
        return super()._validate_completion(response)

    def _map_usage(self, response: chat.ChatCompletion) -> RequestUsage:
        """Counts tokens that appear only in the total as output: Gemini's endpoint hides its reasoning there."""
        usage = super()._map_usage(response)
        reported = response.usage
        if reported is not None and isinstance(reported.total_tokens, int):
            hidden = reported.total_tokens - (reported.prompt_tokens or 0) - (reported.completion_tokens or 0)
            if hidden > 0:
                usage.output_tokens += hidden
                usage.details["reasoning_tokens"] = usage.details.get("reasoning_tokens", 0) + hidden
        return usage

    def _error_of(self, error: object) -> ModelAPIError:
        said: dict[str, Any] = error if isinstance(error, dict) else {"message": str(error)}
        code, kind = said.get("code"), said.get("type")
        named = str(code) if isinstance(code, str | int) else None
        typed = kind if isinstance(kind, str) else None
        body = {"error": said}
        if named and named.isdecimal() and 400 <= int(named) < 600:
            return ModelHTTPError(
                int(named), self.model_name, body, provider_error_code=named, provider_error_type=typed
            )
        message = f"an error came as if it were an answer: {said.get('message', said)}"
        return ModelAPIError(self.model_name, message, body=body, provider_error_code=named, provider_error_type=typed)
