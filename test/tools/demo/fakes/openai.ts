import type { Host } from '../../n8n/hosts';

interface ToolCall {
	/** The name of a tool, as the model sees it. */
	name: string;
	arguments: object;
}

interface ChatRequest {
	messages: Array<{ role: string; content: string }>;
	tools: Array<{ function: { name: string; description: string } }>;
}

/**
 * The part of OpenAI's API that an AI agent uses (platform.openai.com, "Chat Completions"), with a model that
 * calls the tools it is told to, and then repeats what they returned.
 */
export class OpenAi {
	/** Sample data. */
	readonly apiKey = 'sk-sample-key';

	/** The tools that were offered to the model last. */
	tools: Array<ChatRequest['tools'][number]['function']> = [];

	/** @param calls the tools that the model calls before it answers */
	constructor(private readonly calls: ToolCall[]) {}

	readonly host: Host = ({ method, path, headers, body }) => {
		if (headers.authorization !== `Bearer ${this.apiKey}`) throw new Error('invalid_api_key');
		if (`${method} ${path}` !== 'POST /v1/chat/completions') throw new Error('unknown_url');
		const { messages, tools } = body as ChatRequest;
		this.tools = tools.map((tool) => tool.function);
		const results = messages.filter(({ role }) => role === 'tool');
		const message =
			results.length === 0
				? { content: null, tool_calls: this.calls.map(toolCall) }
				: { content: results.map(({ content }) => content).join('\n') };
		return {
			object: 'chat.completion',
			choices: [{ index: 0, message: { role: 'assistant', ...message } }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	};
}

function toolCall({ name, arguments: values }: ToolCall, index: number): object {
	const call = { name, arguments: JSON.stringify(values) };
	return { id: `call_${index}`, type: 'function', function: call };
}
