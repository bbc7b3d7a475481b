/* A small UCI engine for latrunculi-classical on any board: alpha-beta on material, by the rules of docs/rules.md.
 *
 *     cc -O2 -o engine engine.c
 *     latrones-uci check --variant latrunculi-classical ./engine
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 18, SQUARES = WIDTH * WIDTH, MAX_MOVES = 1024, MAX_DEPTH = 40, MAX_PLIES = 8192, WIN = 30000 };
enum { SOLDIER = 100, RANK = 2, DUX_FREEDOM = 6 };  /* values of a soldier, its ranks, the empty squares beside a dux */
typedef struct { int from, to, captured[8], captures; } Move;

static const char START[] = "ssssssssss/4d5/10/10/10/10/5D4/SSSSSSSSSS w 0 1";
static const int STEPS[] = {1, -1, WIDTH, -WIDTH};
static char board[SQUARES];  /* '#' off the board, '.' empty, S and D of White, s and d of Black */
static int side;             /* 0 White, 1 Black */
static char history[MAX_PLIES][SQUARES];  /* the boards of the game and of the line that is searched */
static int plies;
static long nodes, most_nodes;
static double end_s;
static int stopped;

static int owner(char piece) { return piece == 'S' || piece == 'D' ? 0 : piece == 's' || piece == 'd' ? 1 : -1; }

static int square(const char *text) {
    long at = strtol(text + 1, NULL, 10) % WIDTH * WIDTH + text[0] - 'a' + 1;
    return at < WIDTH || at >= SQUARES - WIDTH ? WIDTH : (int)at;
}

static double now_s(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void read_board(const char *fen) {
    int ranks = 1, at;
    for (const char *c = fen; *c && *c != ' '; c++) ranks += *c == '/';
    memset(board, '#', sizeof board);
    if (ranks > WIDTH - 2) return;
    for (at = ranks * WIDTH + 1; *fen && *fen != ' '; fen++) {
        if (*fen == '/') at = (--ranks) * WIDTH + 1;
        else if (*fen >= '1' && *fen <= '9') {
            int empty = strtol(fen, (char **)&fen, 10);
            while (empty-- > 0 && at < SQUARES - WIDTH) board[at++] = '.';
            fen--;
        } else if (at < SQUARES - WIDTH) board[at++] = *fen;
    }
    side = strstr(fen, " b") == fen;
    plies = 0;
    memcpy(history[plies++], board, SQUARES);
}

static int freedom(int of) {  /* the empty squares beside a dux */
    int at = 0, count = 0;
    while (board[at] != "Dd"[of]) if (++at == SQUARES) return 1;
    for (int i = 0; i < 4; i++) count += board[at + STEPS[i]] == '.';
    return count;
}

static int soldiers(int of) {  /* their value, 0 if there are none */
    int value = 0;
    for (int at = 0; at < SQUARES; at++)
        if (board[at] == "Ss"[of]) value += SOLDIER + RANK * (of ? WIDTH - at / WIDTH : at / WIDTH);
    return value;
}

static int in_corner(int at) {  /* are both neighbours of a corner square the mover's? */
    int edges = 0, own = 0;
    for (int i = 0; i < 4; i++) edges += board[at + STEPS[i]] == '#', own += owner(board[at + STEPS[i]]) == side;
    return edges == 2 && own == 2;
}

static void make(Move *move) {
    board[move->to] = board[move->from];
    board[move->from] = '.';
    move->captures = 0;
    for (int i = 0; i < 4; i++) {
        int next = move->to + STEPS[i];
        if (board[next] == "sS"[side] && (owner(board[next + STEPS[i]]) == side || in_corner(next)))
            move->captured[move->captures++] = next;
    }
    for (int i = 0; i < move->captures; i++) board[move->captured[i]] = '.';
    side = !side;
    memcpy(history[plies++], board, SQUARES);
}

static void unmake(const Move *move) {
    side = !side;
    plies--;
    board[move->from] = board[move->to];
    board[move->to] = '.';
    for (int i = 0; i < move->captures; i++) board[move->captured[i]] = "sS"[side];
}

static int repeated(void) {  /* the third time loses; avoid the second */
    for (int i = plies - 3; i >= 0 && i >= plies - 101; i -= 2)
        if (!memcmp(history[plies - 1], history[i], SQUARES)) return 1;
    return 0;
}

static int generate(Move *moves) {  /* captures first */
    int count = 0, captures = 0;
    for (int from = 0; from < SQUARES; from++)
        if (owner(board[from]) == side)
            for (int i = 0; i < 4; i++)
                for (int to = from + STEPS[i]; board[to] == '.'; to += STEPS[i]) {
                    Move move = {from, to, {0}, 0};
                    make(&move);
                    int legal = freedom(!side) > 0;
                    unmake(&move);
                    if (!legal) continue;
                    moves[count] = move;
                    if (move.captures) moves[count] = moves[captures], moves[captures++] = move;
                    count++;
                }
    return count;
}

static int search(int depth, int ply, int alpha, int beta) {
    Move moves[MAX_MOVES];
    if (!freedom(side) || !soldiers(side)) return ply - WIN;
    if (repeated()) return WIN - ply;
    nodes++;
    if (most_nodes && nodes >= most_nodes) stopped = 1;
    if (end_s && nodes % 256 == 0 && now_s() > end_s) stopped = 1;
    if (depth == 0 || stopped)
        return soldiers(side) - soldiers(!side) + DUX_FREEDOM * (freedom(side) - freedom(!side));
    int count = generate(moves);
    for (int i = 0; i < count && alpha < beta && !stopped; i++) {
        make(&moves[i]);
        int value = -search(depth - 1, ply + 1, -beta, -alpha);
        unmake(&moves[i]);
        if (value > alpha) alpha = value;
    }
    return alpha;
}

static const char *text_of(const Move *move) {
    static char text[64];
    sprintf(text, "%c%d%c%d", 'a' + move->from % WIDTH - 1, move->from / WIDTH, 'a' + move->to % WIDTH - 1,
            move->to / WIDTH);
    return text;
}

static void go(int most_depth, int print) {
    Move moves[MAX_MOVES], best;
    int count = generate(moves);
    nodes = stopped = 0;
    for (int depth = 1; count && depth <= most_depth && !stopped; depth++) {
        int alpha = -WIN - 1, first = 0;
        for (int i = 0; i < count && !stopped; i++) {
            make(&moves[i]);
            int value = -search(depth - 1, 1, -WIN - 1, -alpha);
            unmake(&moves[i]);
            if (value > alpha && !stopped) alpha = value, first = i;
        }
        best = moves[first];
        memmove(moves + 1, moves, first * sizeof *moves);
        moves[0] = best;
        if (print && alpha > -WIN - 1)
            printf("info depth %d score cp %d nodes %ld pv %s\n", depth, alpha, nodes, text_of(&best));
    }
    if (print) printf("bestmove %s\n", count ? text_of(&moves[0]) : "0000");
}

static void read_position(char *line) {
    char *fen = strstr(line, "fen "), *moves = strstr(line, " moves ");
    read_board(fen ? fen + 4 : START);
    for (char *word = moves ? strtok(moves + 7, " \n") : NULL; word; word = strtok(NULL, " \n")) {
        if (plies >= MAX_PLIES - MAX_DEPTH - 2) return;
        Move move = {square(word), square(word + 1 + strspn(word + 1, "0123456789")), {0}, 0};
        make(&move);
    }
}

static long number(const char *line, const char *name) {
    const char *found = strstr(line, name);
    return found ? atol(found + strlen(name)) : 0;
}

static void read_go(const char *line) {
    long depth = number(line, " depth "), time_ms = number(line, " movetime ");
    long clock_ms = number(line, side ? " btime " : " wtime "), increment_ms = number(line, side ? " binc " : " winc ");
    if (!time_ms && clock_ms) time_ms = clock_ms / 30 + increment_ms / 2 + 1;
    most_nodes = number(line, " nodes ");
    end_s = time_ms ? now_s() + time_ms / 1e3 : 0;
    go(depth ? depth : most_nodes || time_ms ? MAX_DEPTH : 3, 1);
}

int main(int count, char **arguments) {
    static char line[1 << 16];
    if (count > 1 && !strcmp(arguments[1], "bench")) {
        read_board(START);
        go(3, 0);
        printf("Nodes searched: %ld\n", nodes);
        return 0;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    read_board(START);
    while (fgets(line, sizeof line, stdin)) {
        char word[16] = "";
        sscanf(line, "%15s", word);
        if (!strcmp(word, "uci"))
            puts("id name C engine\nid author The examples\n"
                 "option name UCI_Variant type combo default latrunculi-classical var latrunculi-classical\n"
                 "option name BoardSize type string default auto\nuciok");
        else if (!strcmp(word, "isready")) puts("readyok");
        else if (!strcmp(word, "position")) read_position(line);
        else if (!strcmp(word, "go")) read_go(line);
        else if (!strcmp(word, "quit")) break;
    }
    return 0;
}
