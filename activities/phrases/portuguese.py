"""The fixed words of reports in Portuguese."""

from typing import Final

from elcano.activities.phrases.wording import Phrases

PHRASES: Final = Phrases(
    asked="Pergunta:",
    partial="**Parcial:** a execução terminou antes do previsto: {reason}.",
    incomplete="**Parcial:** {reason}.",
    endings={
        "stopped": "foi interrompida",
        "time": "o seu tempo esgotou-se",
        "tokens": "o seu orçamento de tokens esgotou-se",
        "cost": "o seu orçamento de custos esgotou-se",
        "iterations": "todas as suas iterações foram usadas",
        "steps": "todos os seus passos foram usados",
        "stalled": "novas pesquisas não encontraram nada de novo",
        "node_failed": "um passo falhou",
        "provider": "um fornecedor não pôde responder",
        "sections": "nem todas as seções estão completas",
        "sources": "a busca ficou incompleta",
        "parts": "falta uma parte do que foi pedido",
    },
    warning="**Aviso:**",
    quoted=("Este relatório é composto por citações literais; nenhum modelo de linguagem foi usado para o escrever."),
    written="Escrito por {models}; cada citação foi verificada pelo programa.",
    unread=(
        "Nenhum revisor o leu: o programa comparou os números, os nomes e as palavras das suas "
        "afirmações com o que citam."
    ),
    unnamed="um modelo sem nome",
    not_answered="Não foi encontrada nenhuma frase que possa ser citada como resposta a esta pergunta.",
    no_result="Nenhuma consulta deu um resultado que responda a esta pergunta.",
    key_findings="Principais resultados",
    limitations="Limitações",
    related="Passagens relacionadas",
    nearest="Passagens mais próximas",
    nearest_told="São as mais próximas que foram encontradas; podem não responder à pergunta.",
    disputed="O que é controverso",
    strength="Quão sólidas são as provas",
    conclusion="Conclusão",
    unverified="O que não pôde ser verificado",
    warnings="Avisos",
    what_was_searched="O que foi pesquisado",
    sources="Fontes: {names}.",
    searched_for="Pesquisado: {queries}.",
    searched_on="Pesquisa de {day}.",
    searched_from="Pesquisas de {first} a {last}.",
    retrieved_on="Obtido em {day}.",
    retrieved_from="Obtido de {first} a {last}.",
    references="Referências",
    section_missing="**Falta esta secção:** {reason}",
    section_unanswered="Não foi encontrada nenhuma frase que possa ser citada como resposta a esta secção.",
    section_ended="A pesquisa desta secção terminou antes do previsto: {reason}.",
    further="Outras passagens",
    nothing_holds="Nada do que foi encontrado contém o suficiente da pergunta para ser citado como resposta.",
    nothing_found="Nada foi encontrado nas fontes pesquisadas.",
    silent="Nenhuma passagem encontrada menciona: ",
    unspoken_part="Nenhuma passagem encontrada contém o suficiente desta parte da pergunta para lhe responder: ",
    unquoted_part=("Foram encontradas passagens sobre esta parte da pergunta, mas nada delas é citado como resposta: "),
    other_language=(
        "Não se pode dizer se as fontes respondem a esta pergunta: o que foi encontrado está "
        "numa língua diferente da pergunta, e sem um modelo de linguagem nada é traduzido."
    ),
    unknown_language=(
        "As formas das palavras da língua desta pergunta não são conhecidas aqui: as palavras "
        "foram comparadas tal como estão escritas."
    ),
    analysis="Análise estatística",
    verdicts={"supported": "Apoiada", "refuted": "Refutada", "inconclusive": "Inconclusiva"},
)
