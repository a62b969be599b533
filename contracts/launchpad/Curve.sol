// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {CurveMath} from "./CurveMath.sol";
import {Graduator} from "./Graduator.sol";
import {IERC20} from "../interfaces/IERC20.sol";
import {SafeToken} from "../interfaces/SafeToken.sol";

/// @title One token's bonding curve against ETH (pair zero) or a pair token, until it graduates into a pool.
/// @notice Buys pay curve fee, creator tax and, in the first seconds, a snipe tax out of what they bring; sells pay
/// curve fee and creator tax out of what they get. The buy that takes the last token for sale spends only what that
/// needs, gives the rest back and graduates. `CurveLaunched` and `CurveTrade` alone tell the whole state.
contract Curve {
    using SafeToken for address;

    struct Terms {
        address token;
        address pair;
        address creator;
        uint128 virtualPair;
        uint128 virtualToken;
        uint128 saleSupply;
        uint128 poolSupply;
        uint16 curveFeeBps;
        uint16 creatorTaxBps;
        uint16 snipeStartBps;
        uint16 snipeSeconds;
        uint48 launchedAt;
        uint8 poolVersion;
    }

    struct BuyQuote {
        uint256 tokensOut;
        /// What is taken of `amountIn`; less than it only when the buy graduates the curve.
        uint256 spent;
        uint256 curveFee;
        uint256 creatorTax;
        uint256 snipeTax;
        bool graduates;
    }

    struct SellQuote {
        uint256 pairOut;
        uint256 curveFee;
        uint256 creatorTax;
    }

    /// @param pairAmount what the trader paid (buy) or received (sell), taxes included in what was paid
    /// @param x pair reserve after the trade, virtual part included
    /// @param y token reserve after the trade, virtual part included
    event CurveTrade(
        address indexed trader,
        bool indexed isBuy,
        uint256 pairAmount,
        uint256 tokenAmount,
        uint256 curveFee,
        uint256 creatorTax,
        uint256 snipeTax,
        uint256 x,
        uint256 y
    );
    event CurveGraduated(address indexed token, address indexed pool, uint8 poolVersion, uint256 pair, uint256 tokens);
    event TaxClaimed(address indexed to, uint256 amount);

    error AlreadyOpened();
    error Graduated();
    error Expired(uint256 deadline);
    error ZeroAmount();
    error WrongValue(uint256 sent, uint256 expected);
    error TooLittle(uint256 out, uint256 minimum);
    error Reentered();

    address public launchpad;
    address public treasury;
    Graduator public graduator;
    bool public graduated;
    address public pool;
    Terms private _terms;
    uint128 private _x;
    uint128 private _y;
    uint256 public creatorOwed;
    uint256 public treasuryOwed;
    bool private transient _entered;

    modifier alone() {
        if (_entered) revert Reentered();
        _entered = true;
        _;
        _entered = false;
    }

    /// @notice Called once by the launchpad, which has already given this curve all its tokens.
    function open(Terms calldata terms_, Graduator graduator_, address treasury_) external {
        if (launchpad != address(0)) revert AlreadyOpened();
        launchpad = msg.sender;
        treasury = treasury_;
        graduator = graduator_;
        _terms = terms_;
        _x = terms_.virtualPair;
        _y = terms_.virtualToken;
    }

    function terms() external view returns (Terms memory) {
        return _terms;
    }

    /// @return x pair reserve, virtual part included
    /// @return y token reserve, virtual part included
    /// @return left tokens still for sale
    /// @return snipeBps the snipe tax a buy would pay in this block
    function state() external view returns (uint256 x, uint256 y, uint256 left, uint256 snipeBps, bool isGraduated) {
        return (_x, _y, _left(), snipeTaxBps(), graduated);
    }

    /// @notice Falls in whole seconds from its start to nothing.
    function snipeTaxBps() public view returns (uint256) {
        uint256 elapsed = block.timestamp - _terms.launchedAt;
        uint256 lasts = _terms.snipeSeconds;
        return elapsed >= lasts ? 0 : uint256(_terms.snipeStartBps) * (lasts - elapsed) / lasts;
    }

    function quoteBuy(uint256 amountIn) public view returns (BuyQuote memory quote) {
        if (graduated) revert Graduated();
        uint256 snipeBps = snipeTaxBps();
        uint256 taxBps = _terms.curveFeeBps + _terms.creatorTaxBps + snipeBps;
        uint256 left = _left();
        uint256 net = amountIn - CurveMath.tax(amountIn, taxBps);
        quote.tokensOut = CurveMath.tokensOut(_x, _y, net);
        quote.spent = amountIn;
        if (quote.tokensOut >= left) {
            quote.graduates = true;
            quote.tokensOut = left;
            net = CurveMath.netFor(_x, _y, left);
            quote.spent = CurveMath.grossFor(net, taxBps);
        }
        quote.creatorTax = CurveMath.tax(quote.spent, _terms.creatorTaxBps);
        quote.snipeTax = CurveMath.tax(quote.spent, snipeBps);
        quote.curveFee = quote.spent - net - quote.creatorTax - quote.snipeTax;
    }

    function quoteSell(uint256 tokensIn) public view returns (SellQuote memory quote) {
        if (graduated) revert Graduated();
        uint256 gross = CurveMath.pairOut(_x, _y, tokensIn);
        uint256 tax = CurveMath.tax(gross, _terms.curveFeeBps + _terms.creatorTaxBps);
        quote.pairOut = gross - tax;
        quote.creatorTax = CurveMath.tax(gross, _terms.creatorTaxBps);
        quote.curveFee = tax - quote.creatorTax;
    }

    /// @notice Buys with `amountIn` of the pair: msg.value for ETH, an allowance to this curve otherwise.
    function buy(uint256 amountIn, uint256 minTokensOut, address to, uint256 deadline)
        external
        payable
        alone
        returns (uint256 tokensOut, uint256 spent)
    {
        if (block.timestamp > deadline) revert Expired(deadline);
        if (amountIn == 0) revert ZeroAmount();
        address pair = _terms.pair;
        if (msg.value != (pair == address(0) ? amountIn : 0)) revert WrongValue(msg.value, amountIn);
        BuyQuote memory quote = quoteBuy(amountIn);
        if (quote.tokensOut < minTokensOut) revert TooLittle(quote.tokensOut, minTokensOut);

        if (pair != address(0)) pair.pull(msg.sender, quote.spent);
        creatorOwed += quote.creatorTax;
        treasuryOwed += quote.curveFee + quote.snipeTax;
        _x += uint128(quote.spent - quote.curveFee - quote.creatorTax - quote.snipeTax);
        _y -= uint128(quote.tokensOut);
        _terms.token.send(to, quote.tokensOut);
        emit CurveTrade(
            msg.sender, true, quote.spent, quote.tokensOut, quote.curveFee, quote.creatorTax, quote.snipeTax, _x, _y
        );
        if (quote.graduates) _graduate();
        if (pair == address(0)) pair.send(msg.sender, amountIn - quote.spent);
        return (quote.tokensOut, quote.spent);
    }

    /// @notice Sells `tokensIn`, for which this curve needs an allowance.
    function sell(uint256 tokensIn, uint256 minPairOut, address to, uint256 deadline)
        external
        alone
        returns (uint256 pairOut)
    {
        if (block.timestamp > deadline) revert Expired(deadline);
        if (tokensIn == 0) revert ZeroAmount();
        SellQuote memory quote = quoteSell(tokensIn);
        pairOut = quote.pairOut;
        if (pairOut < minPairOut) revert TooLittle(pairOut, minPairOut);

        _terms.token.pull(msg.sender, tokensIn);
        creatorOwed += quote.creatorTax;
        treasuryOwed += quote.curveFee;
        _x -= uint128(pairOut + quote.curveFee + quote.creatorTax);
        _y += uint128(tokensIn);
        emit CurveTrade(msg.sender, false, pairOut, tokensIn, quote.curveFee, quote.creatorTax, 0, _x, _y);
        _terms.pair.send(to, pairOut);
    }

    /// @notice Pays creator and treasury what taxes brought them; anyone may call it.
    function claim() external alone {
        (uint256 forCreator, uint256 forTreasury) = (creatorOwed, treasuryOwed);
        (creatorOwed, treasuryOwed) = (0, 0);
        _terms.pair.send(_terms.creator, forCreator);
        _terms.pair.send(treasury, forTreasury);
        emit TaxClaimed(_terms.creator, forCreator);
        emit TaxClaimed(treasury, forTreasury);
    }

    function _left() private view returns (uint256) {
        return _y - (_terms.virtualToken - _terms.saleSupply);
    }

    function _graduate() private {
        graduated = true;
        uint256 raised = _x - _terms.virtualPair;
        uint256 tokens = _terms.poolSupply;
        _terms.token.send(address(graduator), tokens);
        _terms.pair.send(address(graduator), raised);
        pool = graduator.graduate(_terms.token, _terms.pair, raised, tokens, _terms.poolVersion);
        emit CurveGraduated(_terms.token, pool, _terms.poolVersion, raised, tokens);
    }
}
